/** Every method that HTTP allows is answered, with every version that it may name. */
import { METHODS } from 'node:http';
import { expect, jest, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { expectError } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';

const SESSIONS = '/v1/checkout_sessions';

const service = useService();

function log(): Record<'warn' | 'error', () => void> {
  const { log } = service.application.getHttpAdapter().getInstance() as unknown as {
    log: Record<'warn' | 'error', () => void>;
  };
  return log;
}

/**
 * Node parses these methods too, in requests of RTSP (RFC 2326). It does not list them in METHODS.
 */
const RTSP_METHODS = [
  ...['ANNOUNCE', 'DESCRIBE', 'FLUSH', 'GET_PARAMETER', 'PAUSE', 'PLAY', 'RECORD', 'REDIRECT'],
  ...['SETUP', 'SET_PARAMETER', 'TEARDOWN'],
];
/** Node parses none of these methods. A method is case-sensitive. */
const UNKNOWN_METHODS = ['STEAL', 'get', 'GETS', "!#$%&'*+.^_`|~-9", 'PRI', 'G'];
const REQUEST_LINES = [
  ...METHODS.map((method) => [method, 'HTTP/1.1']),
  ...[...RTSP_METHODS, ...UNKNOWN_METHODS].map((method) => [method, 'HTTP/1.1']),
  ...['DELETE', 'DESCRIBE', 'STEAL'].map((method) => [method, 'HTTP/1.0']),
  ...['SOURCE', 'GET'].map((method) => [method, 'ICE/1.0']),
  ...[...RTSP_METHODS, 'OPTIONS', 'GET', 'POST', 'STEAL'].map((method) => [method, 'RTSP/1.0']),
] as [method: string, protocol: string][];

/** Returns the status of a request without a key. Node parses no GET of ICE. */
function statusWithoutKey(method: string, protocol: string, target: string): number {
  if (protocol === 'ICE/1.0' && method === 'GET') return 400;
  if (target === SESSIONS) return ['GET', 'HEAD', 'POST'].includes(method) ? 401 : 405;
  if (target === '/') return ['GET', 'HEAD'].includes(method) ? 302 : 405;
  return 404;
}

test.each(REQUEST_LINES)(
  '%s with %s is answered by the API on every path',
  async (method, protocol) => {
    const error = jest.spyOn(log(), 'error');
    const warn = jest.spyOn(log(), 'warn');
    const ask = (target: string) =>
      sendBytes(service.url, head(`${method} ${target} ${protocol}`, 'Host: x', 'CSeq: 1'));
    for (const target of [SESSIONS, '/nowhere', '/', '*', `rtsp://x:554${SESSIONS}`]) {
      const { status, answers } = await ask(target);
      expect([target, status, answers]).toEqual([
        target,
        statusWithoutKey(method, protocol, target),
        1,
      ]);
    }
    expect([error.mock.calls, warn.mock.calls]).toEqual([[], []]);
  },
);

test.each([
  ['PROPFIND', 'HTTP/1.1'],
  ['M-SEARCH', 'HTTP/1.1'],
  ['DESCRIBE', 'RTSP/1.0'],
  ['DESCRIBE', 'HTTP/1.1'],
  ['STEAL', 'HTTP/1.1'],
])('%s is refused with 405, because no route has this method', async (method, protocol) => {
  const ask = (path: string) =>
    sendBytes(service.url, head(`${method} ${path} ${protocol}`, 'Host: x'));
  const reply = await ask(SESSIONS);
  const methods = reply.headers.get('allow')?.split(', ') ?? [];
  expectError(reply, {
    status: 405,
    code: 'method_not_allowed',
    errors: [['method', 'invalid_value', methods]],
  });
  expect(methods).toEqual(expect.arrayContaining(['GET', 'POST']));
  expect(methods).not.toContain(method);
  expectError(await ask('/nowhere'), { status: 404, code: 'not_found' });
});

test('an unknown method is refused after the response to the request before it, and ends the connection', async () => {
  const read = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const line of ['STEAL /livez HTTP/1.1', 'get /livez HTTP/1.1', 'PLAY /livez RTSP/1.0']) {
    const { status, text } = await sendBytes(service.url, `${read}${line}\r\n\r\n${read}`);
    const next = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
    expect([line, status, ...next]).toEqual([line, 200, 405]);
  }
});
