/**
 * The service works through PgBouncer in transaction mode, with fewer server connections than it
 * opens.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from 'pg';
import { assertReady, limitRole, migrate } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import { type Service, startService } from '../kit/service.js';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { run } from '../support/processes.js';
import { Shop } from '../support/shop.js';

const { PGBOUNCER = '' } = process.env;
const SERVER_CONNECTIONS = 4;
const SETTINGS = {
  pool_mode: 'transaction',
  max_prepared_statements: 200,
  default_pool_size: SERVER_CONNECTIONS,
  server_login_retry: 1,
  query_wait_timeout: 7,
};

if (PGBOUNCER === '')
  test.skip('the service works through PgBouncer (skipped: PGBOUNCER names no PgBouncer 1.21 or newer)', () =>
    undefined);
else describe('through PgBouncer', through);

function through(): void {
  let pooler: PgBouncer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  let url: string;

  beforeAll(async () => {
    pooler = await startPgBouncer(PGBOUNCER, SETTINGS);
    database = await createDatabase({ empty: true });
    url = pooler.through(database.url);
  });

  afterAll(async () => {
    await service.close();
    await database.drop();
    await pooler.close();
  });

  test('two migrations at once apply each step once, and leave no lock behind', async () => {
    const names = MIGRATIONS.map(({ name }) => name);
    const applied = await Promise.all([migrate(url), migrate(url)]);
    expect(applied.flat()).toEqual(names);
    expect(await migrate(database.url)).toEqual([]);
  });

  test('each server connection has the time limits of the role', async () => {
    expect(await limitRole(database.url)).toEqual([]);
    const limits: string[] = [];
    // Server connections that were opened before keep their settings.
    const fresh = await startPgBouncer(PGBOUNCER, SETTINGS);
    const look = async (client: Client) => {
      await client.query('BEGIN');
      limits.push((await client.query('SHOW statement_timeout')).rows[0].statement_timeout);
    };
    const nested = (left: number): Promise<void> =>
      withClient(fresh.through(database.url), async (client) => {
        await look(client);
        if (left > 1) await nested(left - 1);
        await client.query('COMMIT');
      });
    await nested(SERVER_CONNECTIONS);
    await fresh.close();
    expect(limits).toEqual(Array(SERVER_CONNECTIONS).fill('5s'));
  });

  test('the service conforms', async () => {
    await assertReady(url);
    service = await startService({ databaseUrl: url });
    const shop = await Shop.open(service);
    const keys = ['--key', shop.key, '--ledger-key', shop.ledgerKey];
    const kit = [
      'dist/conformance/run.js',
      '--base-url',
      service.url,
      ...keys,
      '--organization',
      shop.organization,
    ];
    const { status, stdout, stderr } = await run(kit).ended;
    expect({ status, stderr, failed: stdout.match(/^ {2}FAILED.*/gm) }).toEqual({
      status: 0,
      stderr: '',
      failed: null,
    });
  });
}
