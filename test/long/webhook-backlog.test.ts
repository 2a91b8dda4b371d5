/** The backlogs of two organizations do not keep a third one waiting. */
import { beforeAll, expect, jest, test } from '@jest/globals';
import { Deliveries } from '../../src/modules/events/application/ports.js';
import { WebhookScheduler } from '../../src/modules/events/application/webhook-scheduler.js';
import { Database } from '../../src/platform/database/database.js';
import type { Statement } from '../../src/platform/database/statement.js';
import type { Owner } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { until } from '../support/processes.js';
import { startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { startSockets } from '../support/sockets.js';
import { deliver } from '../support/webhooks.js';

const BUSY_EVENTS = 10_000;
/** As many of one organization as are remembered: four times what is attempted at once. */
const DEAD_HOSTS = 2_000;
const AT_ONCE = 512;

const world = useWebhooks();

beforeAll(async () => {
  // Whatever ends an attempt here, it is not its timeout.
  Object.assign(world.network, { timeoutMs: 600_000 });
});

test('10,000 events of one organization and 2,000 dead hosts of another keep no third one waiting', async () => {
  const { service } = world;
  // Tables stay without statistics, as fresh ones are.
  await service.sql.query('ALTER TABLE events SET (autovacuum_enabled = false)');
  const [dead, busy, third] = await Promise.all([startSockets(), startReceiver(), startReceiver()]);
  await backlog([new URL(busy.url).host], BUSY_EVENTS);
  await backlog(
    Array.from({ length: DEAD_HOSTS }, (_, at) => `dead-${at}.example:${dead.port}`),
    1,
  );
  const tenant = await Shop.open(service);
  const readBefore = await eventsRead();
  const delivering = deliver(service);
  await until(() => dead.sockets.length > 100 && busy.received.length > 0, 'both are being tried');
  const { event } = await tenant.notified(third.url);
  const triedBefore = dead.sockets.length;
  await until(() => third.received.some(({ id }) => id === event), 'the third organization gets its webhook');
  // It had the next place that became free; it did not wait until the others had had their turn.
  expect(dead.sockets.length - triedBefore).toBeLessThan(2 * AT_ONCE);
  expect(busy.received.length).toBeLessThan(BUSY_EVENTS);
  await until(() => busy.received.length > 100, 'the busy receiver gets many');
  // Nor does a claim read what it does not take.
  expect((await eventsRead()) - readBefore).toBeLessThan(50_000);
  await service.sql.query('DELETE FROM webhook_deliveries');
  dead.close();
  await delivering;
  await Promise.all([busy.close(), third.close()]);
});

test('a poll reads as much with 20,000 overdue deliveries to dead receivers as with one to each', async () => {
  const { service, clock } = world;
  const hosts = Array.from({ length: 50 }, (_, at) => `dead-${at}.example:443`);
  const [few, many] = [await Shop.open(service), await Shop.open(service)];
  const idle = jest.spyOn(service.application.get(WebhookScheduler), 'poll').mockResolvedValue();
  await backlog(hosts, 1, few);
  await backlog(hosts, 400, many);
  await service.sql.query('VACUUM ANALYZE webhook_deliveries');
  const read = jest.spyOn(service.application.get(Database), 'read');
  const reads: number[] = [];
  for (const { organization } of [few, many]) {
    const { found } = await service.application.get(Deliveries).due(organization, undefined, clock.now());
    expect(found).toHaveLength(50);
    // Jobs of the service read as well.
    const [, { text }, values] = read.mock.calls.findLast(([, { name }]) => name === 'webhooks.due') as [
      Owner,
      Statement,
      unknown[],
    ];
    const { rows } = await service.sql.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': fetched } = rows[0]['QUERY PLAN'][0].Plan;
    reads.push(hit + fetched);
  }
  const [ofFew = 0, ofMany = 0] = reads;
  // A step for each receiver. A statement that reads every delivery reads hundreds of pages.
  expect(ofMany).toBeLessThan(1.3 * ofFew);
  read.mockRestore();
  idle.mockRestore();
  await service.sql.query('DELETE FROM webhook_deliveries');
});

/** So many overdue deliveries of an organization, a new one by default, to each host, as if another instance had left them. */
async function backlog(hosts: readonly string[], count: number, given?: Shop): Promise<void> {
  const { service, clock } = world;
  const owner = given ?? (await Shop.open(service));
  await owner.createSession();
  await service.sql.query(
    `WITH made AS (
        INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
        SELECT $1, 'test', gen_random_uuid(), 'http://' || host || '/', host, 0, $3
        FROM unnest($2::text[]) AS host CROSS JOIN generate_series(1, $4) RETURNING *)
      INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
        SELECT made.organization_id, made.mode, event_id, type, gen_random_uuid(), 1, data
        FROM made JOIN events USING (organization_id)`,
    [uuidOf(owner.organization), hosts, new Date(clock.now() - 1_000), count],
  );
}

/** The events that PostgreSQL has fetched through indexes so far. */
async function eventsRead(): Promise<number> {
  const { rows } = await world.service.sql.query(
    `SELECT idx_tup_fetch::integer AS read FROM pg_stat_user_tables WHERE relname = 'events'`,
  );
  return rows[0].read;
}
