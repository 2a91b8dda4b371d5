/** One connection that sends one request after another. */
import { Agent, request } from 'node:http';

export interface Request {
  readonly path: string;
  readonly key: string;
  /** The request is a POST with this body, or a GET without one. */
  readonly body?: object | undefined;
}

export interface Client {
  /** Returns the answer's body. Throws unless the request succeeded. */
  send(request: Request): Promise<Buffer>;
  close(): void;
}

export function openClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    send: ({ path, key, body }) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const sent = request(url + path, {
          agent,
          method: text ? 'POST' : 'GET',
          headers: headersOf(key, text),
        });
        sent.on('error', reject).on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () => {
            const answer = Buffer.concat(chunks);
            if ((response.statusCode ?? 500) < 300) resolve(answer);
            else reject(new Error(`${path} was answered ${response.statusCode}: ${answer}`));
          });
        });
        sent.end(text);
      }),
  };
}

let keys = 0;

function headersOf(key: string, body: string | undefined): Record<string, string | number> {
  const authorization = { authorization: `Bearer ${key}` };
  if (body === undefined) return authorization;
  const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return {
    ...authorization,
    ...content,
    'idempotency-key': `bench-${process.pid}-${Date.now()}-${keys++}`,
  };
}
