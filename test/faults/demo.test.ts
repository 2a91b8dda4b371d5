/** The demo of the embedded database: made on an empty one, all of it or none, and never on one in use. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeDemo, reminder } from '../../src/process/demo.js';
import { get } from '../support/client.js';
import { createTenant, type Service, startService } from '../support/service.js';

let service: Service;
let dataDir: string;
let file: string;

beforeEach(async () => {
  service = await startService();
  dataDir = mkdtempSync(join(tmpdir(), 'tillgate demo '));
  file = join(dataDir, 'demo.json');
});

afterEach(async () => {
  await service.close();
  rmSync(dataDir, { recursive: true });
});

const make = () => makeDemo(service.application, dataDir);

async function made(): Promise<unknown> {
  const { rows } = await service.sql.query(`SELECT (SELECT count(*)::integer FROM organizations) AS organizations,
    (SELECT count(*)::integer FROM api_keys) AS keys, (SELECT count(*)::integer FROM payments) AS payments`);
  return rows[0];
}

test('on an empty database it is made once, and its keys are kept for their owner alone', async () => {
  const demo = await make();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(demo);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await make()).toBeUndefined();
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
  const said = reminder(service.url, dataDir);
  expect(said).toContain(`kept in ${file}.\n`);
  expect(said).toContain(`ORGANIZATION=${demo?.organization} KEY=${demo?.key} LEDGER_KEY=${demo?.ledgerKey}\n`);
  expect(said).toContain(`--secret ${demo?.webhookSecret}\n`);
  expect((await get(`${service.url}/v1/payments/${demo?.payment}`, { key: demo?.key })).body.amount).toBe(5000);
});

test('whose file was removed, it is not made again', async () => {
  await make();
  rmSync(file);
  expect(await make()).toBeUndefined();
  expect(existsSync(file)).toBe(false);
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
  expect(reminder(service.url, dataDir)).toBe(
    `Demo keys are made once, on an empty database, and kept in ${file}, which is not there.`,
  );
});

test('on a database that somebody uses it is not made', async () => {
  await createTenant(service);
  expect(await make()).toBeUndefined();
  expect(existsSync(file)).toBe(false);
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 0 });
});

/** [where it stops, what stops it there] */
test.each([
  [
    'in the middle',
    'ALTER TABLE payments ADD CONSTRAINT stop CHECK (false)',
    'ALTER TABLE payments DROP CONSTRAINT stop',
  ],
  [
    'at its very end',
    `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'stop'; END $$;
     CREATE CONSTRAINT TRIGGER stop AFTER INSERT ON organizations DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION stop()`,
    'DROP TRIGGER stop ON organizations',
  ],
])('stopped %s, nothing of it is there, and the next start makes it', async (_, stop, goOn) => {
  await service.sql.query(stop);
  await expect(make()).rejects.toThrow('stop');
  expect(await made()).toEqual({ organizations: 0, keys: 0, payments: 0 });
  await service.sql.query(goOn);
  const demo = await make();
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(demo);
});
