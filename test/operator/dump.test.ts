/** A dump is restored by the commands of docs/operate/operating.md, and the service goes on. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { Progress } from '../../src/platform/progress.js';
import { startService } from '../kit/service.js';
import { readCatalog } from '../support/catalog.js';
import { get, post } from '../support/client.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { createDatabaseOf120, STORY } from '../support/version-1-2-0.js';

const PAGE = readFileSync('docs/operate/operating.md', 'utf8');
const [, COMMANDS = ''] = PAGE.match(/```bash\n(pg_dump .*?)```/s) ?? [];
const CLI = `node ${resolve('dist/bundle/cli.js')}`;

const silent = new Progress({ write: () => undefined });

function dumpAndRestore(databaseUrl: string, restoredUrl: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'tillgate-dump-'));
  const { PATH = '' } = process.env;
  const done = spawnSync('sh', ['-ec', COMMANDS.replaceAll('npx tillgate', CLI)], {
    cwd,
    encoding: 'utf8',
    env: { PATH, DATABASE_URL: databaseUrl, RESTORED_URL: restoredUrl },
  });
  rmSync(cwd, { recursive: true });
  return done;
}

/** The rows of each table, in no order of their own. */
async function rowsOf(url: string) {
  const { tables } = await readCatalog(url);
  return withClient(url, async (client) => {
    const rows: Record<string, unknown> = {};
    for (const { table } of tables) {
      const text = `SELECT one::text AS row FROM ${table} AS one ORDER BY 1`;
      rows[table] = (await client.query(text)).rows.map(({ row }) => row);
    }
    return rows;
  });
}

test('a restored dump has the same rows and schema, and a refund goes on', async () => {
  const original = await createDatabaseOf120();
  const restored = await createDatabase({ empty: true });
  try {
    await migrate(original.url, silent);
    const { status, stdout, stderr } = dumpAndRestore(original.url, restored.url);
    if (/pg_dump: not found|server version mismatch/.test(stderr)) {
      process.stdout.write(
        'not restored: a dump. There is no pg_dump of this version of PostgreSQL.\n',
      );
      return;
    }
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [migrated, doctor, reconciled] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(migrated).toEqual({ applied: [] });
    expect(doctor.healthy).toBe(true);
    expect(reconciled.balanced).toBe(true);
    expect(await readCatalog(restored.url)).toEqual(await readCatalog(original.url));
    expect(await rowsOf(restored.url)).toEqual(await rowsOf(original.url));

    const service = await startService({ databaseUrl: restored.url });
    const { organization, key, ledgerKey, refund } = STORY;
    const at = (path: string) => get(`${service.url}${path}`, { key });
    const ledger = (path: string, body: object) =>
      post(`${service.url}/ledger/v1/${path}`, { key: ledgerKey, body });
    try {
      const claimed = await ledger('refunds/claim', { limit: 100, organization });
      const { claim } = claimed.body.data.find(({ id }: { id: string }) => id === refund);
      const succeeded = await ledger(`refunds/${refund}/succeed`, { claim: claim.number });
      expect(succeeded).toMatchObject({ status: 200, body: { id: refund, status: 'succeeded' } });
      expect(await at(`/v1/refunds/${refund}`)).toMatchObject({
        status: 200,
        body: { id: refund, status: 'succeeded' },
      });
    } finally {
      await service.close();
    }
  } finally {
    await restored.drop();
    await original.drop();
  }
});
