/**
 * A receiver of webhooks listens on a real socket. A test sets its behavior, and it keeps what it
 * received.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { requireDescribedWebhooks } from './description.js';
import { listen } from './sockets.js';

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** So many requests were open when this one came, itself included. */
  readonly open: number;
}

export type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  behave(behavior: Behavior): void;
  /** Closes the receiver. Throws when a webhook that it received is not as described. */
  close(): Promise<void>;
}

/** These are behaviors of receivers, good and bad. */
export const answer =
  (status: number, headers: Record<string, string> = {}): Behavior =>
  (response) =>
    void response.writeHead(status, headers).end();
export const hang: Behavior = () => undefined;
export const reset: Behavior = (response) => void response.socket?.resetAndDestroy();
/** Sends a gigabyte, unless the reader hangs up. */
export const endless: Behavior = (response) => {
  let left = 16_384;
  const chunk = Buffer.alloc(65_536, 'x');
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(chunk)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
};

export async function startReceiver(first: Behavior = answer(204)): Promise<Receiver> {
  const received: Received[] = [];
  let behavior = first;
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    response.on('error', () => undefined);
    const atOnce = open;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const text = Buffer.concat(chunks).toString();
    received.push({
      id: headers['webhook-id'] as string,
      path: request.url as string,
      headers,
      text,
      open: atOnce,
    });
    behavior(response, request);
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/hook`,
    received,
    behave: (next) => {
      behavior = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      requireDescribedWebhooks(received);
    },
  };
}
