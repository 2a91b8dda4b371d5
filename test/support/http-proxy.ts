/**
 * The proxy stands between a client and the service. It changes answers, and breaks single requests
 * as a network does now and then.
 */
import { once } from 'node:events';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { parse } from './described-values.js';
import { listen } from './sockets.js';

export interface PassingAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the service answered with.
  body: any;
}

/**
 * A fault happens to a request. Without a fault, the proxy passes on the request and its answer.
 */
type Fault = (
  pass: () => Promise<PassingAnswer>,
  response: ServerResponse,
) => Promise<unknown> | unknown;

export const FAULTS = {
  /** The request never arrives. */
  cutBefore: ((_, response) => response.socket?.resetAndDestroy()) as Fault,
  /** The request arrives and is carried out, but its answer is lost. */
  cutAfter: (async (pass, response) => {
    await pass();
    response.socket?.resetAndDestroy();
  }) as Fault,
  /** Only the head of the answer and a part of its body arrive. */
  cutMidway: (async (pass, response) => {
    const text = JSON.stringify((await pass()).body);
    response.writeHead(201, { 'content-length': text.length });
    response.write(text.slice(0, 20), () => response.socket?.resetAndDestroy());
  }) as Fault,
};

const relay: Fault = async (pass, response) => {
  const { status, headers, body } = await pass();
  const text = JSON.stringify(body);
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
};

/** Starts a proxy that changes every answer before it passes it on. */
export async function startHttpProxy(
  target: string,
  change: (answer: PassingAnswer) => void = () => undefined,
) {
  const { hostname, port } = new URL(target);
  const passed: { readonly method: string; readonly idempotencyKey: string | undefined }[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', rawHeaders, headers } = request;
    passed.push({ method, idempotencyKey: headers['idempotency-key'] as string | undefined });
    const sent = await bytesOf(request);
    const pass = async () => {
      const onward = forward({ hostname, port, method, path, headers: rawHeaders }).end(sent);
      const [reply] = (await once(onward, 'response')) as [IncomingMessage];
      const { 'transfer-encoding': _, ...kept } = reply.headers;
      const body = parse((await bytesOf(reply)).toString());
      const answer = { method, path, status: reply.statusCode ?? 0, headers: kept, body };
      change(answer);
      return answer;
    };
    await (faults.shift() ?? relay)(pass, response);
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    passed,
    /** Each of the next requests meets one of these faults. */
    meet: (...next: Fault[]) => void faults.push(...next),
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

const bytesOf = async (message: IncomingMessage) => Buffer.concat(await message.toArray());
