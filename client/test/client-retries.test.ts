/** The client retries some requests, and sends others once. */
import { describe, expect, test } from '@jest/globals';
import {
  clientOf,
  done,
  html,
  json,
  refused,
  thrownBy,
} from '../../test/support/answered-client.js';
import { SMALLEST } from '../../test/support/client.js';
import { type ClientOptions, TillgateConnectionError } from '../src/index.js';
import { pauseAfter } from '../src/retry.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a `fetch` that never answers, and remembers why it was stopped. */
function hanging() {
  const stopped: unknown[] = [];
  const fetch: NonNullable<ClientOptions['fetch']> = (_, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => {
        stopped.push(init.signal?.reason);
        reject(init.signal?.reason);
      });
    });
  return { fetch, stopped };
}

describe('a retry', () => {
  test.each([
    ['a 409 that says so', refused(409, 'idempotency_key_in_use', 'retry')],
    ['a 429', refused(429, 'rate_limited', 'retry')],
    ['a 500', refused(500, 'internal_error', 'retry')],
    ['a 503', refused(503, 'service_unavailable', 'retry')],
    ['an HTML page of a proxy', html(502)],
    ['a network fault', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'an answer that breaks off',
      () => new Response(new ReadableStream({ pull: (it) => it.error(new Error('cut')) })),
    ],
  ])('has the same content and key after %s', async (_, failure) => {
    const { tillgate, sent } = clientOf([failure, done]);
    expect(await tillgate.checkoutSessions.create(SMALLEST)).toEqual({ id: 'cs_test_1' });
    const request = {
      url: 'https://pay.example/v1/checkout_sessions',
      method: 'POST',
      key: expect.stringMatching(UUID),
      body: JSON.stringify(SMALLEST),
    };
    expect(sent).toEqual([request, request]);
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  test("has none of the caller's later changes", async () => {
    const session = structuredClone(SMALLEST);
    const changing = () => {
      Object.assign(session, { currency: 'eur' });
      return html(503)();
    };
    const { tillgate, sent } = clientOf([changing, done]);
    await tillgate.checkoutSessions.create(session);
    expect(sent.map(({ body }) => body)).toEqual([
      JSON.stringify(SMALLEST),
      JSON.stringify(SMALLEST),
    ]);
  });

  test('is not made after the last one, and the error has the idempotency key', async () => {
    const { tillgate, sent } = clientOf([html(502)], { maxRetries: 1 });
    const error = await thrownBy(tillgate.checkoutSessions.create(SMALLEST));
    expect(error).toBeInstanceOf(TillgateConnectionError);
    expect(error).toMatchObject({
      message: 'Something other than the service answered, with 502.',
      status: 502,
      idempotencyKey: sent[0]?.key,
    });
    expect(sent).toHaveLength(2);
  });

  test('comes after a timeout, which each attempt has', async () => {
    const { fetch, stopped } = hanging();
    const { tillgate } = clientOf([done], { fetch, timeoutMs: 30, maxRetries: 1 });
    // The timer of a timeout keeps no process alive, so another timer has to.
    const alive = setTimeout(() => undefined, 10_000);
    const error = await thrownBy(tillgate.checkoutSessions.retrieve('cs_test_1'));
    clearTimeout(alive);
    expect(error).toMatchObject({
      name: 'TillgateConnectionError',
      cause: { name: 'TimeoutError' },
      status: undefined,
    });
    expect(stopped).toHaveLength(2);
  });
});

describe('the client', () => {
  const REFUSED: [what: string, answer: () => Response, error: object][] = [
    [
      'a 400',
      refused(400, 'invalid_param', 'fix_request'),
      { name: 'TillgateError', code: 'invalid_param' },
    ],
    [
      'a 422',
      refused(422, 'session_not_open', 'read_resource'),
      { name: 'TillgateError', status: 422 },
    ],
    [
      'a conflict that stays',
      refused(409, 'not_found', 'read_resource'),
      { name: 'TillgateError', status: 409 },
    ],
    ['a conflict of another server', html(409), { name: 'TillgateConnectionError', status: 409 }],
    [
      'a redirect',
      html(301, { location: 'https://pay.example/' }),
      { name: 'TillgateConnectionError', status: 301 },
    ],
    [
      'an HTML page in place of an answer',
      html(200),
      { name: 'TillgateConnectionError', status: 200 },
    ],
    [
      'JSON that is no object',
      json(200, 'hello'),
      { name: 'TillgateConnectionError', status: 200 },
    ],
    [
      'an answer that asks for more than a minute',
      html(503, { 'retry-after': '61' }),
      { name: 'TillgateConnectionError' },
    ],
  ];

  test.each(REFUSED)('does not retry after %s', async (_, answer, facts) => {
    const { tillgate, sent } = clientOf([answer]);
    const error = await thrownBy(tillgate.checkoutSessions.create(SMALLEST));
    expect(error).toMatchObject({ ...facts, idempotencyKey: sent[0]?.key });
    expect(sent).toHaveLength(1);
  });
});

describe('an abort by the caller', () => {
  const reason = new Error('The customer left.');

  test('stops the client before anything is sent', async () => {
    const { tillgate, sent } = clientOf([
      (): Response => AbortSignal.abort(reason).throwIfAborted() as never,
    ]);
    const sending = tillgate.checkoutSessions.create(SMALLEST, {
      signal: AbortSignal.abort(reason),
    });
    expect(await thrownBy(sending)).toBe(reason);
    // The client calls `fetch` once, which refuses an aborted signal before it sends anything.
    expect(sent).toHaveLength(1);
  });

  test('stops the client while it waits for an answer', async () => {
    const caller = new AbortController();
    const { fetch, stopped } = hanging();
    const sending = thrownBy(
      clientOf([done], { fetch }).tillgate.refunds.cancel('re_test_1', { signal: caller.signal }),
    );
    caller.abort(reason);
    expect(await sending).toBe(reason);
    expect(stopped).toEqual([reason]);
  });

  test('stops the client while it waits for another attempt', async () => {
    const caller = new AbortController();
    const { tillgate, sent } = clientOf([html(503, { 'retry-after': '30' })]);
    const sending = thrownBy(tillgate.checkoutSessions.create(SMALLEST, { signal: caller.signal }));
    setTimeout(() => caller.abort(reason), 20);
    expect(await sending).toBe(reason);
    expect(sent).toHaveLength(1);
  });
});

test.each([
  ['at first', 1, null, 250],
  ['twice as long after each attempt', 3, null, 1000],
  ['for eight seconds at most', 12, null, 8000],
  ['for the time in Retry-After', 1, '3', 3250],
  ['for a minute in Retry-After', 1, '60', 60_250],
  ['no longer than a minute in Retry-After', 1, '61', undefined],
  ['as at first when Retry-After is neither seconds nor a date', 1, 'soon', 250],
  ['as at first when the date in Retry-After is over', 1, 'Thu, 01 Jan 2026 00:00:00 GMT', 250],
])('pauses %s', (_, attempts, retryAfter, longest) => {
  expect(pauseAfter(attempts, retryAfter, () => 1)).toBe(longest);
  const asked = retryAfter?.match(/^\d+$/) ? Number(retryAfter) * 1000 : 0;
  const shortest = longest === undefined ? undefined : asked + (longest - asked) / 2;
  expect(pauseAfter(attempts, retryAfter, () => 0)).toBe(shortest);
});

test('pauses until the date in Retry-After', () => {
  const started = Date.now();
  const pause = pauseAfter(1, new Date(started + 30_000).toUTCString(), () => 0) ?? 0;
  // The header has no fraction of a second, and the client adds an eighth of a second.
  expect(pause).toBeGreaterThan(29_000 - (Date.now() - started));
  expect(pause).toBeLessThanOrEqual(30_125);
});
