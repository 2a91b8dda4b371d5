/** Bytes on a socket of their own, for requests that no well-behaved HTTP client would send. */
import { connect } from 'node:net';
import type { Reply } from './client.js';
import { parse } from './description.js';
import { requireCallable } from './next-steps.js';

export interface RawReply extends Reply {
  /** One request must not get two. */
  readonly answers: number;
}

/** Writes the bytes (text as Latin-1) and reads until the server closes the connection. */
export async function sendBytes(url: string, ...parts: readonly (string | Uint8Array)[]): Promise<RawReply> {
  const reply = replyFrom(await answerTo(url, parts));
  requireCallable(reply.text);
  return reply;
}

function answerTo(url: string, parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    socket.on('data', (chunk) => received.push(chunk));
    // The server may close before it has read everything; what it sent until then counts.
    socket.on('error', (error) => (received.length === 0 ? reject(error) : undefined));
    socket.on('close', () => resolve(Buffer.concat(received).toString()));
  });
}

/** The head of a request that closes its connection, from its request line and further header lines. */
export function head(requestLine: string, ...headers: readonly string[]): string {
  return `${[requestLine, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;
}

function replyFrom(answer: string): RawReply {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]));
  const sent = answer.slice(end + 4);
  const text = headers.get('transfer-encoding') === 'chunked' ? sent.split(/(?:^|\r\n)[0-9a-f]+\r\n/).join('') : sent;
  const status = Number(statusLine.split(' ')[1] ?? 0);
  return { status, headers, text, body: parse(text), answers: answer.split(/^HTTP\/1\.1 /m).length - 1 };
}
