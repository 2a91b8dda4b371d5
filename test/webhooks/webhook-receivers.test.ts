/** Attempts end whatever their receivers do, and no other receiver waits for them. */
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DeliveryQueue } from '../../src/modules/webhooks/application/ports.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import type { Statement } from '../../src/persistence/batch/prepared-query.js';
import { Database } from '../../src/persistence/database.js';
import type { Owner } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { until } from '../support/processes.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { startSockets } from '../support/sockets.js';
import { attempt, deliver } from '../support/webhooks.js';

const world = useWebhooks();
const shop = useShop(world.service);
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await world.service.sql.query('DELETE FROM webhook_deliveries');
  await receiver.close();
});

const again =
  (text: string) =>
  (socket: Socket): void => {
    const timer = setInterval(() => socket.write(text), 5);
    socket.on('close', () => clearInterval(timer));
  };

test.each([
  ['drips its answer', 200, null, again('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')],
  [
    'never ends its early hints',
    null,
    'Too many informational responses.',
    again('HTTP/1.1 103 Early Hints\r\n\r\n'),
  ],
  [
    'switches protocols',
    null,
    'The connection was closed without a response.',
    (socket: Socket): void =>
      void socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      ),
  ],
] as const)(
  'ends an attempt at a receiver that %s long before its time',
  async (_, status, error, behave) => {
    const server = await startSockets(behave);
    const { event } = await shop.notified(`http://127.0.0.1:${server.port}/`);
    await deliver(world.service);
    const deliveries = await shop.deliveriesOf(event);
    expect(deliveries).toEqual([attempt(1, status, error, status === 200)]);
    server.close();
  },
);

test('lets no other organization wait for a slow path of one organization on a shared host', async () => {
  receiver.behave((response, { url }) => (url === '/slow' ? undefined : void response.end()));
  for (let at = 0; at < 30; at++) await shop.notified(String(new URL('/slow', receiver.url)));
  await until(() => receiver.received.length > 1, 'the slow path is tried');
  const other = await Shop.open(world.service, shop);
  const { event } = await other.notified(receiver.url);
  await until(
    () => receiver.received.some(({ id }) => id === event),
    'the other organization gets its webhook',
  );
});

/** Inserts so many overdue deliveries to each host, as if another instance had left them. */
async function backlog(owner: Shop, hosts: readonly string[], count: number): Promise<void> {
  await owner.createSession();
  await world.service.sql.query(
    `WITH made AS (
        INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
        SELECT $1, 'test', gen_random_uuid(), 'http://' || host || '/', host, 0, $3
        FROM unnest($2::text[]) AS host CROSS JOIN generate_series(1, $4) RETURNING *)
      INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
        SELECT made.organization_id, made.mode, event_id, type, gen_random_uuid(), 1, data
        FROM made JOIN events USING (organization_id)`,
    [uuidOf(owner.organization), hosts, new Date(world.clock.now() - 1_000), count],
  );
}

test('reads as much for 20,000 overdue deliveries to dead receivers as for one to each', async () => {
  const { service, clock } = world;
  const hosts = Array.from({ length: 50 }, (_, at) => `dead-${at}.example:443`);
  const [few, many] = [await Shop.open(service), await Shop.open(service)];
  const idle = jest.spyOn(service.application.get(WebhookScheduler), 'poll').mockResolvedValue();
  await backlog(few, hosts, 1);
  await backlog(many, hosts, 400);
  await service.sql.query('VACUUM ANALYZE webhook_deliveries');
  const read = jest.spyOn(service.application.get(Database), 'read');
  const reads: number[] = [];
  for (const { organization } of [few, many]) {
    const { found } = await service.application
      .get(DeliveryQueue)
      .due(organization, undefined, clock.now());
    expect(found).toHaveLength(50);
    // Jobs of the service read as well.
    const [, { text }, values] = read.mock.calls.findLast(
      ([, { name }]) => name === 'webhooks.due',
    ) as [Owner, Statement, unknown[]];
    const { rows } = await service.sql.query(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': fetched } =
      rows[0]['QUERY PLAN'][0].Plan;
    reads.push(hit + fetched);
  }
  const [ofFew = 0, ofMany = 0] = reads;
  // The statement takes a step for each receiver. One that read every delivery would read hundreds
  // of pages.
  expect(ofMany).toBeLessThan(1.3 * ofFew);
  read.mockRestore();
  idle.mockRestore();
});

test('names the receiver in the log line of a failed attempt, and no path, query or secret', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  receiver.behave(answer(500));
  const { event } = await shop.notified(`${new URL('/hidden-path', receiver.url)}?token=hidden`);
  await deliver(world.service);
  await until(() => warn.mock.calls.length > 0, 'the failure is logged');
  const lines = warn.mock.calls.map((values) => values.map(String).join(' ')).join('\n');
  warn.mockRestore();
  expect(lines).toContain(`${event} to ${new URL(receiver.url).host} failed: 500.`);
  expect(lines).not.toMatch(/hidden|whsec_/);
});
