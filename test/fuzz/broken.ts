/**
 * These are faults of requests: in the text of a body, in single values, and in the bytes of HTTP
 * itself.
 */

const LIMIT = 256 * 1024;
const list = (text: string) => text.split('|');
const runs = (texts: string) =>
  list(texts).flatMap((one) => [one.repeat(500 / one.length), one.repeat(7_000 / one.length)]);

/**
 * These texts slow down bad regular expressions, or parsers disagree about them. They are ASCII, so
 * that headers and targets can contain them.
 */
export const ODD_TEXTS: readonly string[] = [
  ...runs(' |1|a|/|.|,|;|"|=|\\|%|%20|-| ,|a,'),
  ...list(
    '|0|-1|1e9|25.0|0x1|101|null|true|[]|*|..|W/"x"|\'|\' OR 1=1--|{{7}}|cs_test_|constructor|__proto__|2026-02-30',
  ),
  ...list('%00|%ff|%zz|%2e%2e'),
  ...[`cs_test_${'z'.repeat(26)}`, '9'.repeat(40)],
];

const NUMBERS = [
  ...list('1e400|-0|01|+1|0x10|1.0|1.5e3|NaN|Infinity|9007199254740993|1000.00000000000000001E0'),
  ...[
    '1'.repeat(41),
    '1'.repeat(30_000),
    `${'1'.repeat(1_500)}.${'1'.repeat(1_500)}e1`,
    `${'1'.repeat(3_000)}.${'0'.repeat(3_000)}`,
  ],
];
const TEXTS = [
  '\\u0000',
  '\\ud800',
  '\\udc00\\ud800',
  '\\x',
  '\n',
  '\u0000',
  '😀',
  '\u202e',
  'ſ',
  'a'.repeat(5_000),
];
const WHOLE = list(`| |null|0|"x"|[]|true|{}|{'a':1}|{"a":1,}|a=b|<a/>|{"a":1}{"a":1}|//`);

type Change = (text: string) => string | Buffer;

/** These functions change the text of a body. */
export const BODY_CHANGES: readonly Change[] = [
  (text) => JSON.stringify(JSON.parse(text), null, 2),
  (text) => text.slice(0, text.length / 2),
  (text) => `\ufeff${text}`,
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text.replace('"', '"\xe9'), 'latin1'),
  (text) => text.replace('{', '{"__proto__":{"a":1},'),
  (text) => text.replace('{', '{"constructor":{"prototype":1},'),
  (text) => text.replace('{', '{"amount":1,"\\u0061mount":2,'),
  (text) => `${'['.repeat(5_000)}${text}${']'.repeat(5_000)}`,
  (text) => `${'{"a":'.repeat(2_000)}${text}${'}'.repeat(2_000)}`,
  ...[LIMIT - 1, LIMIT, LIMIT + 1].map(
    (length): Change =>
      (text) =>
        text.padEnd(length),
  ),
  ...NUMBERS.map(
    (number): Change =>
      (text) =>
        text.replace(/\d+/, number),
  ),
  ...TEXTS.map(
    (odd): Change =>
      (text) =>
        text.replace(/:"/, () => `:"${odd}`),
  ),
  ...WHOLE.map(
    (whole): Change =>
      () =>
        whole,
  ),
];

export const MEDIA_TYPES: readonly string[] = [
  ...list(
    'application/json; charset=utf-8|application/json;charset="UTF-8"|APPLICATION/JSON|application/json; charset=utf-16',
  ),
  ...list(
    'application/json; charset|application/json;;|application/json; a="b;c"|application/jsonx|application/problem+json',
  ),
  ...list(
    'text/plain|application/x-www-form-urlencoded|multipart/form-data; boundary=x|*/*|;||application/json, text/plain',
  ),
  ...runs(' |;|"|a').map((run) => `application/json; charset=${run}""z`),
];

/** These first lines belong to no request of the API, or to no request at all. */
export const REQUEST_LINES: readonly string[] = [
  ...list(
    'GARBAGE|GET|GET /livez|GET  /livez HTTP/1.1|get /livez HTTP/1.1|GET /livez HTTP/1.1 x|GET /a b HTTP/1.1',
  ),
  ...list(
    'GET /livez HTTP/0.9|GET /livez HTTP/1.0|GET /livez HTTP/1.2|PRI * HTTP/2.0|OPTIONS * HTTP/1.1|GET * HTTP/1.1',
  ),
  ...list(
    'GET http://other.example/livez HTTP/1.1|GET //other.example/livez HTTP/1.1|GET \xff\xfe HTTP/1.1|GET /\x00 HTTP/1.1',
  ),
  ...list(
    'TRACE /livez HTTP/1.1|PROPFIND /livez HTTP/1.1|STEAL /livez HTTP/1.1|CONNECT other.example:443 HTTP/1.1',
  ),
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
];

const CODINGS = list(
  'chunked| chunked|xchunked|chunked, identity|identity|gzip, chunked|\x0bchunked|CHUNKED|chunked, chunked',
);
const LENGTHS = list('0|1|+5|-1|5, 5|0x5|1e1||99999999999999999999| 5 ');

/** These lines of a head contradict others, are no header lines, or are too large. */
export const HEADER_LINES: readonly string[] = [
  ...CODINGS.map((coding) => `Transfer-Encoding: ${coding}`),
  ...LENGTHS.map((length) => `Content-Length: ${length}`),
  ...list(
    'Transfer-Encoding : chunked|Content-Length : 5| folded: x|\tfolded|X: a\x00b|X: a\rb|X: \x7f|nothing|: x|X y: z',
  ),
  ...list(
    'Host: other.example|Host:|X-\xe9: y|Expect: 100-continue|Expect: 200-ok|Connection: close, keep-alive|Trailer: Host',
  ),
  ...list(
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA|Connection: Upgrade\r\nUpgrade: websocket',
  ),
  ...list(
    'X-Forwarded-For: ::1|Forwarded: for=1|X-HTTP-Method-Override: DELETE|X-Original-URL: /metrics|Range: bytes=0-0,5-',
  ),
  ...list('Content-Encoding: gzip|Accept-Encoding: identity;q=0|Cookie: a=b'),
  ...[
    `Accept: ${'*/*,'.repeat(1_000)}`,
    `X: ${'x'.repeat(20_000)}`,
    'A: b\r\n'.repeat(2_100).trimEnd(),
    `${'x'.repeat(10_000)}: y`,
  ],
];

const SIZES = [...list('zz|-1|0x5|ffffffffffffffff|7fffffff| 5|5 |'), `1;${'x'.repeat(20_000)}`];

/** These bodies are in chunks. Only the first two of them are complete. */
export const CHUNKED: readonly ((body: string) => string)[] = [
  (body) => `${body.length.toString(16)};extension="a"\r\n${body}\r\n0\r\nX-Trailer: x\r\n\r\n`,
  (body) => `${[...body].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`,
  (body) => `${body.length.toString(16)}\n${body}\n0\n\n`,
  (body) => `0${'0'.repeat(100)}1\r\n${body}`,
  ...SIZES.map((size) => (body: string) => `${size}\r\n${body}\r\n0\r\n\r\n`),
];
