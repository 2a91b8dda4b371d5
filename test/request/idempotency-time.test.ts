/**
 * These tests say what is stored of a request, how long it is stored, and what happens to a key
 * that another request holds. The cases in conformance/cases/idempotency.json say what retries are
 * answered.
 */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StoredResponses } from '../../src/request/idempotency/stored-responses.js';
import { type Service, startService } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, isReplay, post, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectError } from '../support/envelope.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { idleJobs } from '../support/idle-jobs.js';
import { until } from '../support/processes.js';

const service = useService({ overrides: [idleJobs()] });
const other = useOther(service, {
  config: { idempotencyRetentionHours: 1 },
  overrides: [idleJobs()],
});
const shop = useShop(service, {}, beforeAll);

const create = (
  idempotencyKey: string,
  { url }: Service = service,
  body: unknown = SMALLEST,
): Promise<Reply> => post(`${url}/v1/checkout_sessions`, { key: shop.key, body, idempotencyKey });

const LINE =
  '{"price_data":{"currency":"usd","product_data":{"name":"A"},"unit_amount":1000},"quantity":2}';

test('the fingerprint is the SHA-256 of the JSON with sorted members', async () => {
  await create('fingerprint', service, `{ "line_items": [${LINE}], "currency": "usd" }`);
  const { rows } = await service.sql.query(
    `SELECT fingerprint FROM idempotency_keys WHERE key = 'fingerprint'`,
  );
  expect(rows).toEqual([
    { fingerprint: hash('sha256', `{"currency":"usd","line_items":[${LINE}]}`, 'buffer') },
  ]);
});

test('a request that the rate limit refuses leaves its key free', async () => {
  // Time stands still, so the second of the rate limit never ends.
  const { databaseUrl } = service;
  const limited = await startService({
    databaseUrl,
    config: { rateLimitRps: 1 },
    clock: new TestClock(),
  });
  await create('the-one-of-this-second', limited);
  expect((await create('one-too-many', limited)).status).toBe(429);
  const proper = await create('one-too-many');
  expect([proper.status, isReplay(proper)]).toEqual([201, false]);
  await limited.close();
});

async function expire(pattern: string): Promise<void> {
  await service.sql.query(`UPDATE idempotency_keys SET expires_at = now() WHERE key LIKE $1`, [
    pattern,
  ]);
}

describe('a response', () => {
  const RETENTIONS = [
    { instance: () => service, seconds: 24 * 3600, setting: 'is stored for a day by default' },
    { instance: () => other, seconds: 3600, setting: 'is stored for as long as the setting says' },
  ];

  test.each(RETENTIONS)('$setting', async ({ instance, seconds }) => {
    const started = Date.now();
    await create(`kept-${seconds}`, instance());
    const { rows } = await service.sql.query(
      `SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM idempotency_keys WHERE key = $1`,
      [`kept-${seconds}`],
    );
    const passed = seconds - rows[0].seconds;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThanOrEqual((Date.now() - started) / 1000 + 1);
  });

  test('is stored once when 40 requests race for an expired key', async () => {
    const first = await create('raced');
    await expire('raced');
    const replies = await atOnce(40, (index) =>
      untilDecided(() => create('raced', index % 2 === 0 ? service : other)),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1);
    expect(replies[0]?.body.id).not.toBe(first.body.id);
  });

  // Two requests find the same key expired. The slower one must not free the key that the faster
  // one has renewed meanwhile.
  test('stays stored although a slower request that found the key expired frees it late', async () => {
    const first = await create('late');
    const caller = { organization: shop.organization, mode: 'test' } as const;
    const scope = { operation: 'POST /v1/checkout_sessions', key: 'late' };
    const responses = service.application.get(StoredResponses);
    expect(await responses.find(caller, scope)).toMatchObject({ status: 201 });
    await responses.forget(caller, scope);
    expect((await create('late')).text).toBe(first.text);
  });

  // The request was valid when it was made. Its expires_at has passed since, which must not change
  // the answer of a retry.
  test('is replayed to a retry that would be refused as a new request', async () => {
    const clock = new TestClock();
    const aging = await startService({ databaseUrl: service.databaseUrl, clock });
    try {
      const body = { ...SMALLEST, expires_at: Math.floor(clock.now() / 1000) + 600 };
      const first = await create('aging', aging, body);
      expect(first.status).toBe(201);
      clock.advance(3_600_000);
      const again = await create('aging', aging, body);
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
      const changed = await create('aging', aging, { ...body, description: 'another body' });
      expectError(changed, {
        status: 400,
        code: 'invalid_param',
        errors: [['expires_at', 'too_small']],
      });
    } finally {
      await aging.close();
    }
  });
});

test('a sweep removes expired responses in batches, and skips responses that cannot be removed', async () => {
  const responses = service.application.get(StoredResponses);
  await responses.sweep();
  const keys = await atOnce(9, async (index) => {
    await create(`swept-${index}`);
    return `swept-${index}`;
  });
  const staying = await create('staying');
  await expire('swept-%');
  await refuseDelete(['swept-0', 'swept-1', 'swept-2', 'swept-7']);
  const swept = async () => {
    const { rows } = await service.sql.query(
      `SELECT key FROM idempotency_keys WHERE key LIKE 'swept-%' ORDER BY key`,
    );
    return rows.map(({ key }) => key);
  };
  expect(await swept()).toEqual(keys);
  await expect(responses.sweep(3)).rejects.toThrow('cannot be removed');
  // A response is skipped while PostgreSQL still rolls back a refused batch that contained it.
  await until(async () => {
    await responses.sweep(3).catch(() => undefined);
    return (await swept()).length === 4;
  }, 'the others are removed');
  expect(await swept()).toEqual(['swept-0', 'swept-1', 'swept-2', 'swept-7']);
  await service.sql.query('DROP FUNCTION refuse_delete CASCADE');
  await responses.sweep(3);
  expect(await swept()).toEqual([]);
  // A new response at the place of an expired one stays.
  const all = 'SELECT organization_id AS organization, ctid AS place, key FROM idempotency_keys';
  await responses.remove((await service.sql.query(all)).rows);
  expect((await create('staying')).text).toBe(staying.text);
});

async function refuseDelete(keys: readonly string[]): Promise<void> {
  await service.sql.query(`
    CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'cannot be removed'; END $$;
    CREATE TRIGGER refuse_delete BEFORE DELETE ON idempotency_keys FOR EACH ROW
      WHEN (OLD.key IN ('${keys.join("', '")}')) EXECUTE FUNCTION refuse_delete()`);
}

describe('a key that another transaction holds', () => {
  let holder: Holder;

  beforeAll(async () => {
    holder = await Holder.connect(service.databaseUrl);
  });

  afterAll(() => holder.end());

  const someoneWaits = () => until(async () => (await waitingForLocks(service.sql)) > 0);

  test('is waited for, and the response of the other transaction is replayed', async () => {
    const first = await create('answered');
    await holder.holdKey('answered');
    const waiting = untilDecided(() => create('answered'));
    await someoneWaits();
    await holder.commit();
    const reply = await waiting;
    expect([reply.status, reply.text, isReplay(reply)]).toEqual([201, first.text, true]);
  });

  test('is waited for, and is used if the other transaction is rolled back', async () => {
    const first = await create('given-up');
    await holder.holdKey('given-up');
    const waiting = untilDecided(() => create('given-up'));
    await someoneWaits();
    await holder.release();
    const reply = await waiting;
    expect([reply.status, isReplay(reply)]).toEqual([201, false]);
    expect(reply.body.id).not.toBe(first.body.id);
  });

  test('is waited for half a second, and then the request is refused', async () => {
    const first = await create('held');
    await holder.holdKey('held');
    const started = Date.now();
    // On one instance the requests wait for the first of them, on the other instance they wait for
    // the lock.
    const replies = await Promise.all([create('held'), create('held'), create('held', other)]);
    const waited = Date.now() - started;
    await holder.commit();
    expect(waited).toBeGreaterThan(400);
    for (const reply of replies) {
      expectError(reply, {
        status: 409,
        code: 'idempotency_key_in_use',
        errors: [['Idempotency-Key', 'invalid_value']],
        nextStep: { type: 'retry', path: '/v1/checkout_sessions', method: 'POST' },
      });
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    const reply = await create('held');
    expect([reply.text, isReplay(reply)]).toEqual([first.text, true]);
  });

  test('is refused as reused with another body after the first request has ended', async () => {
    await create('reused');
    await holder.holdKey('reused');
    const waiting = untilDecided(() =>
      create('reused', service, { ...SMALLEST, description: 'another body' }),
    );
    await someoneWaits();
    await holder.commit();
    expect((await waiting).body.error.code).toBe('idempotency_key_reused');
  });
});
