/** Reads what is known of a request whose method Node does not parse, or Fastify does not route. */
import { type IncomingMessage, METHODS } from 'node:http';

/** An error of Node's parser has the bytes that were read, and how many of them it understood. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

type RequestLine = Required<Pick<IncomingMessage, 'headers' | 'method' | 'url'>>;

/** A method, a target and a version (RFC 9112, section 3). */
const REQUEST_LINE = /^([!#$%&'*+.^`|~\w-]{1,40}) (\S+) [A-Z]+\/\d\.\d$/gm;

/**
 * Tells whether Fastify can route the method. Node also parses the methods of RTSP, for which
 * Fastify has no route, not even the one for unknown paths.
 */
export function isRoutable({ method = '' }: Pick<IncomingMessage, 'method'>): boolean {
  return METHODS.includes(method);
}

/**
 * Returns the request line at which Node's parser stopped, or the one before. Node parses only the
 * methods that it knows, and those of RTSP only with its version.
 */
export function requestLineOf({
  rawPacket,
  bytesParsed = 0,
}: ClientError): RequestLine | undefined {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const lines = [...text.matchAll(REQUEST_LINE)].filter(({ index }) => index <= bytesParsed);
  const [, method, url] = lines.at(-1) ?? [];
  return method && url ? { method, url, headers: {} } : undefined;
}
