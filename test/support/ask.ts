/** This is Node's own HTTP client, which unpacks nothing and adds hardly a header. */
import { once } from 'node:events';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import type { Socket } from 'node:net';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The answer came on this socket. */
  readonly socket: Socket;
}

/** Sends the request on a connection of its own, or on one of the agent's. */
export async function ask(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string | Buffer | undefined } = {},
): Promise<Answered> {
  const sent = request(url, { agent: false, ...options });
  // The connection may end before everything is written, and an answer that came by then counts.
  sent.on('error', () => undefined).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode, headers, socket } = answer;
  return {
    status: statusCode as number,
    headers,
    socket,
    bytes: Buffer.concat(await answer.toArray()),
  };
}
