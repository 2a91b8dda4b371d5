/** Fastify as Nest sees it, with every path that Fastify and Node answer on their own brought into the envelope. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { INVALID_PARAM, invalidParam, noSuchRoute, Refusal } from '../../shared/errors.js';
import type { Config } from '../config.js';
import { whileDropping } from './body.guard.js';
import { Connections } from './connections.js';
import { answerTo, collectionOf } from './errors.js';
import { HttpResponse } from './response.js';
import { faultOf, HEADERS, lastAnswer, refuseExpectation, requestId, targetOf } from './unrouted.js';

const SERVER_OPTIONS = {
  headersTimeout: 8_000,
  requestTimeout: 10_000,
  /** Node checks the deadlines above every 30 s unless told otherwise, which would make shorter ones a lie. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the usual 60 s of load balancers, so that they close idle connections first. */
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  /** Without a body there is no stream to end, nor one to destroy for each request of a connection that is cut. */
  optimizeEmptyRequests: true,
};

export class TillgateAdapter extends FastifyAdapter {
  private isDraining = false;
  private readonly connections: Connections;
  private readonly routes: { readonly method: string; readonly path: RegExp }[] = [];

  constructor({ trustProxy }: Pick<Config, 'trustProxy'>, log?: FastifyBaseLogger) {
    const server = createServer(SERVER_OPTIONS);
    const connections = new Connections(server);
    super({
      // One server, with the bounds on its connections, also where a host name stands for several addresses.
      serverFactory: (handle: RequestListener) =>
        server.on('request', (request, answer) => connections.begin(answer, () => handle(request, answer))),
      ...(log && { loggerInstance: log }),
      logController: new LogController({ disableRequestLogging: true }),
      skipMiddie: true,
      trustProxy: trustProxy.length > 0 && [...trustProxy],
      genReqId: requestId,
      rewriteUrl: targetOf,
      // Fastify's own 503 has no envelope: what still arrives on an open connection is served, and the connection closed.
      return503OnClosing: false,
      routerOptions: { maxParamLength: 16_384 },
      clientErrorHandler: (error, socket) => this.onClientError(error, socket),
    });
    this.connections = connections;
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const id = requestId(request);
      this.logRefused(id, refuseExpectation(id, request, response), INVALID_PARAM.code);
    });
    server.on('connect', (request: IncomingMessage, socket: Socket) => this.refuseTunnel(request, socket));
    this.prepareInstance();
  }

  private prepareInstance(): void {
    const server = this.getInstance();
    // Each line names its request itself: a logger for each request would cost more.
    server.log.child = () => server.log;
    server.decorateRequest('declaredType', undefined);
    // Bodies are read after the guards: who may not call is told so before what is wrong with the body.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.addHook('onRoute', ({ method, url }) => {
      if (!url.includes('*')) this.routes.push({ method: String(method), path: patternOf(url) });
    });
    server.addHook('onRequest', prepare);
    server.addHook('preClose', (done) => {
      this.stopKeepingAlive();
      done();
    });
  }

  stopKeepingAlive(): void {
    this.isDraining = true;
  }

  methodsOf(path: string): string[] {
    return this.routes.filter((route) => route.path.test(path)).map(({ method }) => method);
  }

  /** Sends an HttpResponse as it is, its bytes being final, and anything else as JSON. */
  override reply(reply: FastifyReply, result: unknown, status = 200): FastifyReply {
    reply.headers(HEADERS);
    // A connection kept open past this answer would keep the process from ending until it times out.
    if (this.isDraining) reply.header('connection', 'close');
    if (!(result instanceof HttpResponse)) return reply.code(status).send(JSON.stringify(result));
    if (result.headers) reply.headers(result.headers);
    if (result.location) reply.header('location', result.location);
    if (result.replayed) markReplay(reply, result);
    if (result.status === 413) return sendWhileDropping(reply, result);
    return reply.code(result.status).send(result.body);
  }

  /** What Node itself would answer with an empty body: a request it cannot read, or one that never ends. */
  private onClientError(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const [status, text] = faultOf(error.code);
    const id = `req_${randomUUID()}`;
    const { body } = answerTo(new Refusal(INVALID_PARAM, text), { id, method: 'GET', url: collectionOf('/') });
    this.logRefused(id, status, INVALID_PARAM.code);
    this.connections.end(socket, lastAnswer(status, body, id));
  }

  /** What no route was looked for has no other line. */
  private logRefused(id: string, status: number, code: string): void {
    this.getInstance().log.info({ request_id: id, status, error_code: code }, 'request');
  }

  /** Node leaves the socket of a CONNECT to whoever listens. There is nothing here to connect to. */
  private refuseTunnel(request: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const facts = { id: requestId(request), method: 'CONNECT', url: request.url ?? '' };
    const refusal = noSuchRoute();
    const { status, body } = answerTo(refusal, facts);
    this.logRefused(facts.id, status, refusal.code);
    this.connections.end(socket, lastAnswer(status, body, facts.id));
  }
}

function sendWhileDropping(reply: FastifyReply, { status, body }: HttpResponse): FastifyReply {
  const bytes = Readable.from(whileDropping(reply.request.raw, body));
  return reply.code(status).header('content-length', Buffer.byteLength(body)).send(bytes);
}

/** An error's bytes name the request they first answered, and the header always agrees with the body. */
function markReplay(reply: FastifyReply, { status, body }: HttpResponse): void {
  reply.header('idempotent-replayed', 'true');
  if (status < 400) return;
  const { request_id, error } = JSON.parse(body) as { request_id: string; error: { code: string } };
  reply.header('request-id', request_id).request.errorCode = error.code;
}

function prepare(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('request-id', request.id);
  const headers = request.raw.headers;
  // Fastify refuses some media types before the guards have run; the body guard refuses them after.
  request.declaredType = headers['content-type'];
  headers['content-type'] = undefined;
  if (headers.host !== undefined || request.raw.httpVersionMinor === 0) return void done();
  request.errorCode = INVALID_PARAM.code;
  const { status, body } = answerTo(invalidParam('Host', 'required', 'The Host header is required.'), request);
  reply.headers(HEADERS).code(status).send(body);
}

/** A route's path as a pattern: `:name` stands for one segment. */
function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll(/:[a-z_]+/g, '[^/]+')}$`);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The Content-Type header; `mediaType` is Fastify's own, of the type it was let see. */
    declaredType: string | undefined;
  }
}
