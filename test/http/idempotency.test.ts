/** Which requests count as the same, by what is stored; conformance/cases/idempotency.json has what retries are answered. */
import { hash } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { startService } from '../kit/service.js';
import { useService, useShop } from '../kit/setup.js';
import { isReplay, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';

const LINE = '{"price_data":{"currency":"usd","product_data":{"name":"A"},"unit_amount":1000},"quantity":2}';

const service = useService();
const shop = useShop(service, { mode: 'live' }, beforeAll);

const create = (key: string, body: unknown = SMALLEST) => shop.post('/v1/checkout_sessions', body, key);

test('the fingerprint is SHA-256 of the JSON, its members sorted', async () => {
  await create('fingerprint', `{ "line_items": [${LINE}], "currency": "usd" }`);
  const { rows } = await service.sql.query(`SELECT fingerprint FROM idempotency_keys WHERE key = 'fingerprint'`);
  expect(rows).toEqual([{ fingerprint: hash('sha256', `{"currency":"usd","line_items":[${LINE}]}`, 'buffer') }]);
});

test('a request that the rate limit refuses leaves its key free', async () => {
  // Time stands still: the second never ends.
  const { databaseUrl } = service;
  const limited = await startService({ databaseUrl, config: { rateLimitRps: 1 }, clock: new TestClock() });
  const there = (key: string) => shop.at(limited).post('/v1/checkout_sessions', SMALLEST, key);
  await there('the-one-of-this-second');
  expect((await there('one-too-many')).status).toBe(429);
  const proper = await create('one-too-many');
  expect([proper.status, isReplay(proper)]).toEqual([201, false]);
  await limited.close();
});
