/**
 * The metrics are counters of this process, and gauges that are read from the tables at a scrape.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { STATEMENTS } from '../../src/persistence/batch/prepared-query.js';
import { firstUuidAt, uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { atOnce, get, SMALLEST } from '../support/client.js';
import { growth, scrape } from '../support/metrics.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { deliver } from '../support/webhooks.js';

const { service } = useWebhooks();
const shop = useShop(service, {}, beforeAll);
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver.close());

describe('the counters', () => {
  test('count webhook attempts by outcome', async () => {
    const before = await scrape(service);
    for (const status of [204, 410, 500]) {
      receiver.behave(answer(status));
      await shop.notified(receiver.url);
      await deliver(service);
    }
    expect(growth(before, await scrape(service), 'tillgate_webhook_attempts_total')).toEqual({
      '{mode="test",outcome="delivered"}': 1,
      '{mode="test",outcome="gone"}': 1,
      '{mode="test",outcome="retried"}': 1,
    });
  });

  test('count events by type, replays, and errors by code', async () => {
    const before = await scrape(service);
    for (const body of [SMALLEST, SMALLEST, { ...SMALLEST, description: 'another' }])
      await shop.post('/v1/checkout_sessions', body, 'once');
    const after = await scrape(service);
    expect(growth(before, after, 'tillgate_events_total')).toEqual({
      '{mode="test",type="checkout.session.created"}': 1,
    });
    expect(growth(before, after, 'tillgate_idempotent_replays_total')).toEqual({ '': 1 });
    expect(growth(before, after, 'tillgate_http_errors_total')).toEqual({
      '{code="idempotency_key_reused"}': 1,
    });
  });

  test('count reads and the messages that contained them', async () => {
    const before = await scrape(service);
    await atOnce(8, () => shop.get(`/v1/refunds/re_test_${'0'.repeat(26)}`));
    const after = await scrape(service);
    const { _sum: reads = 0, _count: messages = 0 } = growth(
      before,
      after,
      'tillgate_database_batch_size',
    );
    expect(reads).toBeGreaterThanOrEqual(8);
    expect(messages).toBeGreaterThanOrEqual(1);
    expect(messages).toBeLessThanOrEqual(reads);
  });

  test('say when each job ran last, and how full the pool is', async () => {
    const values = await scrape(service);
    const jobs = [
      'deliver_webhooks',
      'expire_sessions',
      'follow_test_clocks',
      'remove_events',
      'remove_idempotency_keys',
    ];
    for (const job of jobs) {
      const at = values[`tillgate_job_last_run_timestamp_seconds{name="${job}"}`] ?? 0;
      expect(Math.abs(Date.now() / 1000 - at)).toBeLessThan(300);
    }
    const connections = ['in_use', 'free'].map(
      (state) => values[`tillgate_database_connections{state="${state}"}`] ?? 0,
    );
    expect((connections[0] as number) + (connections[1] as number)).toBe(10);
    expect(values).toMatchObject({ tillgate_database_waiting: 0 });
  });
});

test('the utilization of the event loop is a histogram and no quantiles, which cannot be added up', async () => {
  const names = Object.keys(await scrape(service));
  expect(names).toContain('nodejs_eventloop_utilization_histogram_count');
  expect(names.filter((name) => name.includes('quantile='))).toEqual([]);
});

describe('the gauges', () => {
  test('read the tables once for many scrapes', async () => {
    const asked: string[] = [];
    const note = (message: unknown) => asked.push((message as { statement: string }).statement);
    await scrape(service);
    subscribe(STATEMENTS, note);
    try {
      for (let count = 0; count < 5; count++) await get(`${service.url}/metrics`, {});
      expect(asked.filter((name) => name.endsWith('.measure'))).toEqual([]);
      await scrape(service);
      expect(asked.filter((name) => name === 'webhooks.measure')).toEqual(['webhooks.measure']);
    } finally {
      unsubscribe(STATEMENTS, note);
    }
  });

  test('show pending refunds, their amounts and their age', async () => {
    const payment = await shop.capture({ amount: 1000, currency: 'chf' });
    await shop.propose(payment, 30);
    await shop.claim();
    await shop.propose(payment, 12);
    const values = await scrape(service);
    expect(values).toMatchObject({
      'tillgate_refunds_pending{mode="test",claimed="yes"}': 1,
      'tillgate_refunds_pending{mode="test",claimed="no"}': 1,
      'tillgate_refunds_pending{mode="live",claimed="yes"}': 0,
      'tillgate_refunds_pending{mode="live",claimed="no"}': 0,
      'tillgate_refunds_pending_amount{mode="test",currency="chf"}': 42,
      'tillgate_refunds_oldest_pending_seconds{mode="live"}': 0,
    });
    expect(values['tillgate_refunds_oldest_pending_seconds{mode="test"}']).toBeGreaterThan(0);
  });

  test('show the deliveries that are due, and since when', async () => {
    await service.application.get(WebhookScheduler).stop(0);
    await service.sql.query('DELETE FROM webhook_deliveries');
    const insert = (madeAgo: number, next: string) =>
      service.sql.query(
        `INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
        VALUES ($1, 'live', $2, 'http://a.example', 'a.example', 0, ${next})`,
        [uuidOf(shop.organization), firstUuidAt(Date.now() - madeAgo * 1000)],
      );
    await insert(3600, `'-infinity'`);
    await insert(7200, `now() - interval '10 minutes'`);
    await insert(-7200, `now()`);
    await insert(60, `now() + interval '1 hour'`);
    const values = await scrape(service);
    const deliveries = (mode: string, state: string) =>
      values[`tillgate_webhook_deliveries{mode="${mode}",state="${state}"}`];
    expect([deliveries('live', 'due'), deliveries('live', 'later')]).toEqual([3, 1]);
    expect([deliveries('test', 'due'), deliveries('test', 'later')]).toEqual([0, 0]);
    expect(values['tillgate_webhook_oldest_due_seconds{mode="test"}']).toBe(0);
    const oldest = values['tillgate_webhook_oldest_due_seconds{mode="live"}'] ?? 0;
    expect(oldest).toBeGreaterThanOrEqual(3600);
    expect(oldest).toBeLessThan(3900);
  });
});
