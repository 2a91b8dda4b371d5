/** The response to a retry with the same Idempotency-Key, and which requests count as the same. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { get, isReplay, post, type Reply, type Sent, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectError } from '../support/envelope.js';
import { brokenPromises } from '../support/invariants.js';
import { capture, createKey, createTenant, type Service, startService, type Tenant } from '../support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

/** Keys have no spaces; the names of the cases do. */
const keyOf = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '-');
const create = (name: string, body: unknown = SMALLEST, sent: Sent = {}): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key: tenant.test, body, idempotencyKey: keyOf(name), ...sent });
const propose = (name: string, body: unknown, sent: Sent = {}): Promise<Reply> =>
  post(`${service.url}/v1/refunds`, { key: tenant.test, body, idempotencyKey: keyOf(name), ...sent });

/** What the ledger does with a refund it cannot make: the amount it held is free again. */
async function fail(refund: string): Promise<void> {
  await service.sql.query(
    `WITH failed AS (UPDATE refunds SET status = 'failed' WHERE id = $1 RETURNING payment_id, amount)
      UPDATE payments SET amount_pending_refund = amount_pending_refund - failed.amount
      FROM failed WHERE payments.id = failed.payment_id`,
    [uuidOf(refund)],
  );
}

/** The same status, bytes and Location, said to be a replay, with a Request-Id that agrees with the body. */
function expectReplay(again: Reply, first: Reply): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  for (const header of ['location', 'content-type']) expect(again.headers.get(header)).toBe(first.headers.get(header));
  const isError = first.status >= 400;
  if (isError) expect(again.headers.get('request-id')).toBe(again.body.request_id);
  else expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
}

describe('a retry gets the stored response, byte for byte:', () => {
  test('201 of a session', async () => {
    const first = await create('session');
    expect([first.status, first.headers.get('location')]).toEqual([201, `/v1/checkout_sessions/${first.body.id}`]);
    for (let retry = 0; retry < 3; retry++) expectReplay(await create('session'), first);
  });

  test('201 of a refund, even if nothing is left of the payment by then', async () => {
    const payment = await capture(service, tenant, { amount: 500 });
    const first = await propose('refund', { payment, amount: 300 });
    expect([first.status, first.headers.get('location')]).toEqual([201, `/v1/refunds/${first.body.id}`]);
    await propose('the rest', { payment, amount: 200 });
    expectReplay(await propose('refund', { payment, amount: 300 }), first);
  });

  test('422, even if the refund is possible by then', async () => {
    const payment = await capture(service, tenant, { amount: 500 });
    const most = await propose('most', { payment, amount: 400 });
    const tooMuch = await propose('too much', { payment, amount: 101 });
    expect(tooMuch.body.error.code).toBe('refund_exceeds_remaining');
    await propose('the other 100', { payment, amount: 100 });
    const nothingLeft = await propose('nothing left', { payment, amount: 1 });
    expect(nothingLeft.body.error.code).toBe('payment_not_refundable');
    await fail(most.body.id);
    expectReplay(await propose('too much', { payment, amount: 101 }), tooMuch);
    expectReplay(await propose('nothing left', { payment, amount: 1 }), nothingLeft);
    expect((await propose('with a new key', { payment, amount: 101 })).status).toBe(201);
  });

  test('404, even with other request ids', async () => {
    const body = { payment: 'pay_test_01kaxj2b3cedf9gh0jkmnpqrst', amount: 1 };
    const first = await propose('unknown', body, { headers: { 'x-request-id': 'the-first' } });
    expect([first.status, first.body.request_id]).toEqual([404, 'the-first']);
    expectReplay(await propose('unknown', body, { headers: { 'x-request-id': 'the-second' } }), first);
  });
});

test('a replay changes nothing', async () => {
  const payment = await capture(service, tenant, { amount: 900 });
  await propose('once', { payment, amount: 400 });
  await propose('once', { payment, amount: 400 });
  const { body } = await get(`${service.url}/v1/payments/${payment}`, { key: tenant.test });
  expect(body.amount_pending_refund).toBe(400);
  expect(await brokenPromises(service.sql)).toEqual([]);
});

describe('the same request is the same JSON value:', () => {
  const LINE = '{"price_data":{"currency":"usd","product_data":{"name":"A"},"unit_amount":1000},"quantity":2}';
  const ORIGINAL = `{"currency":"usd","line_items":[${LINE}],"metadata":{"a":"1","b":"é"}}`;
  const SAME = {
    'other key order': `{"metadata":{"b":"é","a":"1"},"line_items":[${LINE}],"currency":"usd"}`,
    'other key order inside': ORIGINAL.replace(
      LINE,
      '{"quantity":2,"price_data":{"unit_amount":1000,"product_data":{"name":"A"},"currency":"usd"}}',
    ),
    'white space': ORIGINAL.replaceAll(',"', ' ,\r\n\t"').replaceAll(':', ' : '),
    'a fraction of nothing': ORIGINAL.replace('"quantity":2', '"quantity":2.0'),
    'an exponent': ORIGINAL.replace('1000', '1e3'),
    'escaped letters': ORIGINAL.replace('"A"', '"\\u0041"').replace('é', '\\u00e9'),
  };

  test.each(Object.entries(SAME))('%s', async (name, body) => {
    expect(body).not.toBe(ORIGINAL);
    const first = await create(name, ORIGINAL);
    expect(first.status).toBe(201);
    expectReplay(await create(name, body), first);
  });

  const OTHER = {
    'another value': ORIGINAL.replace('1000', '1001'),
    'another currency case': ORIGINAL.replace('"usd"', '"USD"'),
    'a default spelled out': ORIGINAL.replace('{"currency"', '{"ui_mode":"hosted","currency"'),
    'one key less': ORIGINAL.replace(',"metadata":{"a":"1","b":"é"}', ''),
    'one line more': ORIGINAL.replace(LINE, `${LINE},${LINE}`),
  };

  test.each(Object.entries(OTHER))('another request: %s', async (name, body) => {
    const first = await create(name, ORIGINAL);
    expectError(await create(name, body), {
      status: 422,
      code: 'idempotency_key_reused',
      errors: [['Idempotency-Key', 'invalid_value']],
      nextStep: { type: 'use_new_idempotency_key', path: '/v1/checkout_sessions', method: 'POST' },
    });
    expectReplay(await create(name, ORIGINAL), first);
  });

  test('a refused reuse writes nothing', async () => {
    const payment = await capture(service, tenant, { amount: 800 });
    await propose('reused', { payment, amount: 100 });
    expect((await propose('reused', { payment, amount: 200 })).status).toBe(422);
    expect(await brokenPromises(service.sql)).toEqual([]);
  });

  test('the fingerprint is SHA-256 of the JSON, its members sorted', async () => {
    await create('fingerprint', '{ "line_items": [], "currency": "usd" }'.replace('[]', `[${LINE}]`));
    const { rows } = await service.sql.query(`SELECT fingerprint FROM idempotency_keys WHERE key = 'fingerprint'`);
    expect(rows).toEqual([{ fingerprint: hash('sha256', `{"currency":"usd","line_items":[${LINE}]}`, 'buffer') }]);
  });
});

describe('a response that is not stored:', () => {
  const NOT_KEPT: Record<string, { status: number; sent: Sent }> = {
    'a malformed body': { status: 400, sent: { body: '{' } },
    'a wrong field': { status: 400, sent: { body: { ...SMALLEST, currency: 'xau' } } },
    'a sum that is wrong': { status: 400, sent: { body: { ...SMALLEST, amount: 1 } } },
    'a wrong key': { status: 401, sent: { key: 'sk_test_wrong' } },
    'a foreign origin': { status: 403, sent: { headers: { origin: 'https://elsewhere.example' } } },
    'a body too large': { status: 413, sent: { body: { ...SMALLEST, description: 'x'.repeat(300_000) } } },
    'no JSON': { status: 415, sent: { headers: { 'content-type': 'text/plain' } } },
  };

  test.each(Object.entries(NOT_KEPT))('%s', async (name, { status, sent }) => {
    expect((await create(name, SMALLEST, sent)).status).toBe(status);
    const proper = await create(name);
    expect([proper.status, isReplay(proper)]).toEqual([201, false]);
  });

  test('too many requests', async () => {
    const limited = await startService({
      databaseUrl: service.databaseUrl,
      config: { rateLimitRps: 1 },
      // Time stands still: the second never ends.
      clock: new TestClock(),
    });
    const key = await createKey(service, { organization: tenant.organization, mode: 'live' });
    const there = (idempotencyKey: string) =>
      post(`${limited.url}/v1/checkout_sessions`, { key, body: SMALLEST, idempotencyKey: keyOf(idempotencyKey) });
    await there('the one of this second');
    expect((await there('one too many')).status).toBe(429);
    const proper = await create('one too many', SMALLEST, { key });
    expect([proper.status, isReplay(proper)]).toEqual([201, false]);
    await limited.close();
  });
});
