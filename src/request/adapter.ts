/**
 * This is Nest's Fastify adapter. Responses that Fastify or Node would write by themselves get the
 * API's error envelope.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../platform/config.js';
import {
  INVALID_PARAM,
  invalidParam,
  noSuchRoute,
  paramError,
  Refusal,
  refusal,
} from '../shared/errors.js';
import { isEncoded, MAX_BODY_BYTES, whileDropping } from './body.guard.js';
import { Connections } from './connections.js';
import { type ErrorResponses, headersOf, METHOD_NOT_ALLOWED, pathOf, statusOf } from './errors.js';
import { type ClientError, isRoutable, requestLineOf } from './request-line.js';
import { HttpResponse } from './response.js';

const SERVER_OPTIONS = {
  headersTimeout: 8_000,
  requestTimeout: 10_000,
  /**
   * Node checks the two deadlines above every second. Its default of 30 s would let a request run
   * far past them.
   */
  connectionsCheckingInterval: 1_000,
  /**
   * The timeout is longer than the idle timeout of most load balancers (60 s), so that they close
   * idle connections first.
   */
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  /** A request without a body gets a body stream that has already ended. */
  optimizeEmptyRequests: true,
};

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
};

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};
const NO_HTTP = [400, 'The request is not valid HTTP.'] as const;

type Unrouted = Pick<IncomingMessage, 'headers' | 'method' | 'url'>;

export class TillgateAdapter extends FastifyAdapter {
  private isDraining = false;
  private readonly connections: Connections;
  private readonly routes: { readonly method: string; readonly path: RegExp }[] = [];

  constructor(
    { trustProxy }: Pick<Config, 'trustProxy'>,
    private readonly errors: ErrorResponses,
    log?: FastifyBaseLogger,
  ) {
    const server = Object.assign(createServer(SERVER_OPTIONS), { httpAllowHalfOpen: true });
    const connections = new Connections(server, trustProxy, log);
    super({
      // Fastify would create a server for each address of a host name. With one server, Connections
      // bounds them all.
      serverFactory: (handle: RequestListener) =>
        server.on('request', (request, answer) => {
          if (isRoutable(request)) connections.begin(answer, () => handle(request, answer));
          else this.refuse(request.socket, this.unrouted(request), request);
        }),
      ...(log && { loggerInstance: log }),
      logController: new LogController({ disableRequestLogging: true }),
      skipMiddie: true,
      trustProxy: trustProxy.length > 0 && [...trustProxy],
      genReqId: requestId,
      rewriteUrl: targetOf,
      // Fastify's own 503 has no envelope. A request that arrives while closing is answered, and
      // its connection closed.
      return503OnClosing: false,
      routerOptions: { maxParamLength: 16_384 },
      clientErrorHandler: (error, socket) => this.onClientError(error, socket),
    });
    this.connections = connections;
    const unmet = invalidParam(
      'Expect',
      'invalid_value',
      'Expectations other than 100-continue are not met.',
    );
    server.on('checkExpectation', (request) => this.refuse(request.socket, unmet, request));
    // Node hands the socket of a CONNECT request to this listener. The service is no proxy.
    server.on('connect', (request, socket: Socket) =>
      this.refuse(socket, this.unrouted(request), request),
    );
    this.prepareInstance();
  }

  private prepareInstance(): void {
    const server = this.getInstance();
    // Fastify creates a child logger for each request, which costs time. Log lines carry the
    // request's ID instead.
    server.log.child = () => server.log;
    // BodyGuard reads the body after the other guards, so that a caller without a key gets a 401
    // for any body.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.addHook('onRoute', ({ method, url }) => {
      const path = new RegExp(`^${url.replaceAll(/:[a-z_]+/g, '[^/]+')}$`);
      if (!url.includes('*')) this.routes.push({ method: String(method), path });
    });
    server.addHook('onRequest', (request, reply, done) => this.prepare(request, reply, done));
    server.addHook('preClose', (done) => {
      this.stopKeepingAlive();
      done();
    });
  }

  private prepare(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (refusal?: Refusal) => void,
  ): void {
    reply.header('request-id', request.id);
    const { headers } = request.raw;
    // Fastify would refuse some media types before the guards run, so the header is hidden from it.
    // BodyGuard checks it.
    headers['content-type'] = undefined;
    const isAddressed = headers.host !== undefined || request.raw.httpVersionMinor === 0;
    done(
      isAddressed ? undefined : invalidParam('Host', 'required', 'The Host header is required.'),
    );
  }

  stopKeepingAlive(): void {
    this.isDraining = true;
  }

  methodsOf(path: string): string[] {
    return this.routes.filter((route) => route.path.test(path)).map(({ method }) => method);
  }

  /** Says why no route has this method and path: the path is unknown, or it has other methods. */
  unrouted(request: Pick<IncomingMessage, 'method' | 'url'>): Refusal {
    const methods = this.methodsOf(pathOf(targetOf(request)));
    if (methods.length === 0) return noSuchRoute();
    const message = `${request.method} is not a method of this route.`;
    return refusal(METHOD_NOT_ALLOWED, paramError('method', 'invalid_value', message, methods));
  }

  /** Sends the body of an HttpResponse unchanged, and any other result as JSON. */
  override reply(reply: FastifyReply, result: unknown, status = 200): FastifyReply {
    reply.headers(HEADERS);
    // An open connection would keep the process from ending until the connection times out.
    if (this.isDraining || isUnread(reply.request.raw)) reply.header('connection', 'close');
    if (!(result instanceof HttpResponse)) return reply.code(status).send(JSON.stringify(result));
    const { body, headers, location } = result;
    if (headers) reply.headers(headers);
    if (location) reply.header('location', location);
    if (result.replayed) markReplay(reply, result);
    reply.code(result.status);
    if (result.status !== 413) return reply.send(body);
    const answer = whileDropping(reply.request, body);
    return reply.header('content-length', Buffer.byteLength(body)).send(answer);
  }

  /**
   * Answers a request that Node cannot parse, or that did not arrive in time. Node's own answer has
   * no body.
   */
  private onClientError(error: ClientError, socket: Socket): void {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const line = requestLineOf(error);
    if (line && !isRoutable(line)) return void this.refuse(socket, this.unrouted(line), line);
    const [status, text] = CLIENT_ERRORS[`${error.code}`] ?? NO_HTTP;
    const method = line?.method === 'HEAD' ? 'HEAD' : 'GET';
    const first = { method, headers: {}, url: this.errors.collectionOf('/') };
    this.refuse(socket, new Refusal(INVALID_PARAM, text), first, status);
  }

  /**
   * Answers a request that never reaches the router or the router's log, and closes the connection.
   */
  private refuse(
    socket: Socket,
    refusal: Refusal,
    request: Unrouted,
    status = statusOf(refusal),
  ): void {
    const id = requestId(request);
    socket.on('error', () => socket.destroy());
    const { body } = this.errors.answerTo(refusal, {
      id,
      method: request.method ?? 'GET',
      url: targetOf(request),
    });
    this.getInstance().log.info({ request_id: id, status, error_code: refusal.code }, 'request');
    const answer = {
      status,
      body,
      headers: { ...headersOf(refusal), 'request-id': id },
    };
    this.connections.end(socket, lastAnswer(answer, request.method === 'HEAD'));
  }
}

/**
 * Tells whether a body is left that no guard has read. Node would read it to its end, which may
 * never come, to keep the connection.
 */
function isUnread({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = 0, 'transfer-encoding': coding } = headers;
  return !complete && (coding !== undefined || Number(length) > MAX_BODY_BYTES);
}

/**
 * A stored error contains the ID of the first request, and the Request-Id header has to agree with
 * the body.
 */
function markReplay(reply: FastifyReply, { status, body }: HttpResponse): void {
  reply.header('idempotent-replayed', 'true');
  if (status < 400) return;
  const { request_id, error } = JSON.parse(body) as { request_id: string; error: { code: string } };
  reply.header('request-id', request_id).request.errorCode = error.code;
}

/** Returns the caller's X-Request-Id if it is safe in headers and logs, or else a new ID. */
function requestId(request: { headers: IncomingMessage['headers'] }): string {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(own)
    ? own
    : `req_${randomUUID()}`;
}

/**
 * Returns the target without scheme and host. A path like /v1/refunds/%zz is escaped, so that it is
 * refused as a malformed ID.
 */
function targetOf(request: { url?: string | undefined }): string {
  const url = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const path = pathOf(url);
  return isEncoded(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

interface LastAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function lastAnswer({ status, body, headers: own }: LastAnswer, isHead: boolean): string {
  const headers = {
    ...HEADERS,
    ...own,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
}
