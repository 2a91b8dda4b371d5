/** The response to a retry with the same Idempotency-Key, and which requests count as the same. */
import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { isReplay, post, type Reply, type Sent, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { capture, createKey, startService } from '../support/service.js';
import { useService, useShop } from '../support/setup.js';

const service = useService();
const shop = useShop(service, {}, beforeAll);

/** Keys have no spaces; the names of the cases do. */
const keyOf = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '-');
const create = (name: string, body: unknown = SMALLEST, sent: Sent = {}): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key: shop.key, body, idempotencyKey: keyOf(name), ...sent });
const propose = (name: string, body: unknown, sent: Sent = {}): Promise<Reply> =>
  post(`${service.url}/v1/refunds`, { key: shop.key, body, idempotencyKey: keyOf(name), ...sent });

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
  test('201 of a refund, even if nothing is left of the payment by then', async () => {
    const payment = await capture(service, shop.tenant, { amount: 500 });
    const first = await propose('refund', { payment, amount: 300 });
    expect([first.status, first.headers.get('location')]).toEqual([201, `/v1/refunds/${first.body.id}`]);
    await propose('the rest', { payment, amount: 200 });
    expectReplay(await propose('refund', { payment, amount: 300 }), first);
  });

  test('422, even if the refund is possible by then', async () => {
    const payment = await capture(service, shop.tenant, { amount: 500 });
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
});

const LINE = '{"price_data":{"currency":"usd","product_data":{"name":"A"},"unit_amount":1000},"quantity":2}';

test('the fingerprint is SHA-256 of the JSON, its members sorted', async () => {
  await create('fingerprint', '{ "line_items": [], "currency": "usd" }'.replace('[]', `[${LINE}]`));
  const { rows } = await service.sql.query(`SELECT fingerprint FROM idempotency_keys WHERE key = 'fingerprint'`);
  expect(rows).toEqual([{ fingerprint: hash('sha256', `{"currency":"usd","line_items":[${LINE}]}`, 'buffer') }]);
});

test('a request that the rate limit refuses leaves its key free', async () => {
  const limited = await startService({
    databaseUrl: service.databaseUrl,
    config: { rateLimitRps: 1 },
    // Time stands still: the second never ends.
    clock: new TestClock(),
  });
  const key = await createKey(service, { organization: shop.organization, mode: 'live' });
  const there = (idempotencyKey: string) =>
    post(`${limited.url}/v1/checkout_sessions`, { key, body: SMALLEST, idempotencyKey: keyOf(idempotencyKey) });
  await there('the one of this second');
  expect((await there('one too many')).status).toBe(429);
  const proper = await create('one too many', SMALLEST, { key });
  expect([proper.status, isReplay(proper)]).toEqual([201, false]);
  await limited.close();
});
