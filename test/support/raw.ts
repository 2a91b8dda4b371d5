/** Sends bytes on a socket of its own, for requests that no well-behaved HTTP client would send. */
import { connect } from 'node:net';
import type { Reply } from './client.js';
import { parse } from './described-values.js';
import { requireCallable } from './next-steps.js';

export interface RawReply extends Reply {
  /** The number of answers is counted, because one request must not get two. */
  readonly answers: number;
}

type Bytes = string | Uint8Array;

/** The beginning of an answer follows the body of the answer before it without a line break. */
const ANSWER = /HTTP\/1\.1 (?=\d{3} )/;
/** The service gives up a connection sooner than this. */
const PATIENCE_MS = 20_000;

/** Writes the bytes (text as Latin-1), and reads until the server closes the connection. */
export async function sendBytes(url: string, ...parts: readonly Bytes[]): Promise<RawReply> {
  const answer = await answerTo(url, parts);
  const reply = replyFrom(answer);
  requireCallable(reply.text);
  return { ...reply, answers: answer.split(ANSWER).length - 1 };
}

/** Returns every answer to the bytes, after which nothing more is written. */
export async function answersTo(url: string, bytes: Bytes): Promise<Reply[]> {
  const answer = await answerTo(url, [bytes], AbortSignal.timeout(PATIENCE_MS));
  const replies = answer.split(ANSWER).slice(1).map(replyFrom);
  return replies.filter(({ status }) => status >= 200);
}

/**
 * The client ends its half of the connection when it has written, if a signal is given to end it.
 */
function answerTo(url: string, parts: readonly Bytes[], signal?: AbortSignal): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ port: Number(port), host, ...(signal && { signal }) }, () => {
      for (const part of parts)
        socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
      if (signal) socket.end();
    });
    socket.on('data', (chunk) => received.push(chunk));
    // The server may close the connection before it has read everything, and its answer until then
    // counts.
    socket.on('error', (error) =>
      received.length === 0 || signal?.aborted ? reject(error) : undefined,
    );
    socket.on('close', () => resolve(Buffer.concat(received).toString()));
  });
}

/**
 * Returns the head of a request that closes its connection, with its request line and further
 * header lines.
 */
export function head(requestLine: string, ...headers: readonly string[]): string {
  return `${[requestLine, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;
}

function replyFrom(answer: string): Reply {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = new Headers(
    lines.map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]),
  );
  const sent = answer.slice(end + 4);
  const text =
    headers.get('transfer-encoding') === 'chunked'
      ? sent.split(/(?:^|\r\n)[0-9a-f]+\r\n/).join('')
      : sent;
  return {
    status: Number(/\b\d{3}\b/.exec(statusLine)?.[0] ?? 0),
    headers,
    text,
    body: parse(text),
  };
}
