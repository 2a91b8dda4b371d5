/** The ID and target of a request before it is routed, and the responses to requests that never are. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { pathOf } from './errors.js';

export const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
};

/** The caller's X-Request-Id if it is safe in headers and logs, or else a new ID. */
export function requestId(request: { headers: IncomingMessage['headers'] }): string {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(own) ? own : `req_${randomUUID()}`;
}

/** The target without scheme and host. A path like /v1/refunds/%zz is escaped, so that it is refused as a malformed ID. */
export function targetOf(request: { url?: string | undefined }): string {
  const url = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const path = pathOf(url);
  return isEncoded(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

/** Whether it is percent-encoded UTF-8 (RFC 3986). */
export function isEncoded(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function lastAnswer(status: number, body: string, id: string, isHead: boolean): string {
  const headers = { ...HEADERS, 'request-id': id, connection: 'close', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

export function faultOf(code = ''): readonly [status: number, message: string] {
  return CLIENT_ERRORS[code] ?? [400, 'The request is not valid HTTP.'];
}
