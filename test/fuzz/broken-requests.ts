/**
 * These requests are bytes that are one request, no request, several requests, or one within
 * another.
 */
import fc, { type Arbitrary } from 'fast-check';
import { CHUNKED, HEADER_LINES, REQUEST_LINES } from './broken.js';

export interface Plain {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** This is one request, or bytes on a connection of their own. */
export interface Drawn {
  readonly plain?: Plain;
  /** The bytes are text in Latin-1. */
  readonly bytes: string;
  /** These answers must come. 0 means that nobody can tell whether the bytes are a request. */
  readonly awaited: number;
}

/**
 * This text stands in bytes of a body: an answer to it shows that a body was taken for a request.
 */
export const SMUGGLED = 'smuggled-request';

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);

export function brokenRequests(plain: Arbitrary<Plain>): Arbitrary<Drawn> {
  const unknown = (bytes: Arbitrary<string>) =>
    bytes.map((text): Drawn => ({ bytes: text, awaited: 0 }));
  // An answer to HEAD resembles the beginning of another answer.
  const bodied = plain.filter(({ method }) => method !== 'HEAD');
  const text = bodied.map(bytesOf);
  const lines = fc
    .tuple(text, oneOf(...REQUEST_LINES))
    .map(([whole, line]) => whole.replace(/^.*/, () => line));
  const headers = fc
    .tuple(text, fc.array(oneOf(...HEADER_LINES), { minLength: 1, maxLength: 2 }))
    .map(([whole, added]) => {
      return whole.replace('\r\n', () => `\r\n${added.join('\r\n')}\r\n`);
    });
  const endings = fc
    .tuple(text, oneOf('\n', '\r', '\r\r\n', '\n\r'))
    .map(([whole, ending]) => whole.replaceAll('\r\n', ending));
  const chunks = fc.tuple(bodied, oneOf(...CHUNKED)).map(([request, chunk]) => {
    const { 'content-length': _, ...kept } = request.headers;
    return `${headOf({ ...request, headers: { ...kept, 'transfer-encoding': 'chunked' } })}${chunk(request.body?.toString('latin1') ?? '')}`;
  });
  const bytes = fc
    .tuple(text, fc.nat(), oneOf('', '\x00', '\xff', '\r\n', ' ', '\r\n\r\n', '0'))
    .map(([whole, place, put]) => {
      const at = place % whole.length;
      return whole.slice(0, at) + put + whole.slice(at + 1);
    });
  const short = fc
    .tuple(text, fc.nat())
    .map(([whole, place]) => whole.slice(0, place % whole.length));
  return fc.oneof(
    ...[lines, headers, endings, chunks, bytes, short].map(unknown),
    pipelined,
    smuggled,
  );
}

const inner = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${SMUGGLED}\r\n\r\n`;
const outer = (line: string) =>
  `POST /v1/refunds HTTP/1.1\r\nHost: x\r\n${line}\r\nConnection: close\r\n\r\n`;

/** Sends several requests at once, whose answers come in their order. */
const pipelined = fc
  .array(oneOf('/livez', '/v1/refunds', '/none'), { minLength: 2, maxLength: 12 })
  .map((paths): Drawn => {
    const lines = paths.map(
      (path, place) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: in-order-${place}\r\n\r\n`,
    );
    return { bytes: lines.join(''), awaited: paths.length };
  });

/** Sends a request within the body of another one, whose lengths contradict each other. */
const smuggled = oneOf<Drawn>(
  { bytes: `${outer(`Content-Length: ${inner.length}`)}${inner}`, awaited: 1 },
  {
    bytes: `${outer('Transfer-Encoding: chunked')}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    awaited: 1,
  },
  ...[
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Content-Length: 0\r\nContent-Length: 5',
  ].map((lines): Drawn => ({ bytes: `${outer(lines)}0\r\n\r\n${inner}`, awaited: 1 })),
);

export function bytesOf(request: Plain): string {
  return `${headOf(request)}${request.body?.toString('latin1') ?? ''}`;
}

function headOf({ method, target, headers, body }: Plain): string {
  const length =
    body && !('transfer-encoding' in headers) ? { 'content-length': String(body.length) } : {};
  const lines = Object.entries({ host: 'x', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
