/** Requests are answered 503 while PostgreSQL stands still, and work again afterwards. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { Database } from '../../src/persistence/database.js';
import { type Service, startService } from '../kit/service.js';
import { atOnce, type Reply, send } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { until } from '../support/processes.js';
import { expectAnsweredOnce } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

/** These are more readers than the pool has connections. */
const READERS = 12;

let postgres: OwnPostgres;
let service: Service;
let shop: Shop;
let payment: string;

beforeAll(async () => {
  postgres = await OwnPostgres.start(['archive_mode = off']);
  await migrate(postgres.url);
  service = await startService({ databaseUrl: postgres.url });
});

beforeEach(async () => {
  shop = await Shop.open(service);
  payment = (await shop.record({ amount: 1_000_000 })).body.id;
});

afterEach(() => postgres.thaw());

afterAll(async () => {
  await service.close();
  await postgres.stop();
  postgres.remove();
});

/**
 * Returns a request for every way to use the database: by a statement, in a transaction, under an
 * idempotency key, and with an API key that is not cached.
 */
const requests = (stranger: Shop): readonly (readonly [string, string, () => Promise<Reply>])[] => [
  ['POST', '/v1/checkout_sessions', () => shop.createSession()],
  ['POST', '/v1/refunds', () => shop.propose(payment, 1)],
  ['POST', '/ledger/v1/payments', () => shop.record()],
  ['POST', '/ledger/v1/refunds/claim', () => shop.bare('/ledger/v1/refunds/claim')],
  ['GET', `/v1/payments/${payment}`, () => shop.get(`/v1/payments/${payment}`)],
  ['GET', '/v1/checkout_sessions', () => shop.get('/v1/checkout_sessions')],
  ['GET', '/v1/refunds', () => stranger.get('/v1/refunds')],
  ['GET', '/readyz', () => send('GET', `${service.url}/readyz`, {})],
];

test('a request that comes while PostgreSQL stands still is answered 503', async () => {
  const stranger = await Shop.open(service);
  await atOnce(READERS, () => shop.get('/v1/refunds'));
  postgres.freeze();
  const database = service.application.get(Database);
  const read = database.read(stranger, { name: 'one', text: 'SELECT 1' }, []);
  await Promise.all([
    // The limit of the socket is longer, and its error would say that PostgreSQL did not answer in
    // time.
    expect(read).rejects.toThrow('PostgreSQL is silent.'),
    ...requests(stranger).map(async ([method, path, request]) => {
      const nextStep = { type: 'retry', path, method };
      for (let time = 0; time < 2; time++)
        expectError(await request(), { status: 503, code: 'service_unavailable', nextStep });
    }),
  ]);
  postgres.thaw();
  await until(async () => (await shop.createSession()).status === 201);
  for (const [, , request] of requests(stranger))
    expect((await request()).status).toBeLessThan(300);
  await expectAnsweredOnce(service);
});

test('slow statements on all connections are not taken for silence', async () => {
  const database = service.application.get(Database);
  const nap = { name: 'nap', text: 'SELECT pg_sleep(3)' };
  const { free } = database.load;
  const naps = Array.from({ length: free }, (_, at) =>
    database.autocommit({ queue: `nap ${at}` }, nap, []),
  );
  await expect(Promise.all(naps)).resolves.toHaveLength(free);
});
