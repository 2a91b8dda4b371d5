/**
 * The demo is made in an empty embedded database, all of it or none, and never in a database that
 * is in use.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeDemo, reminder } from '../../src/operator/process/demo.js';
import { type Demo, tour } from '../../src/operator/process/demo-tour.js';
import { PublicUrl } from '../../src/request/public-url.js';
import { type Service, startService } from '../kit/service.js';
import { get, post } from '../support/client.js';
import { createTenant } from '../support/tenants.js';

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
  const { rows } =
    await service.sql.query(`SELECT (SELECT count(*)::integer FROM organizations) AS organizations,
    (SELECT count(*)::integer FROM api_keys) AS keys, (SELECT count(*)::integer FROM payments) AS payments`);
  return rows[0];
}

test('the demo is made once in an empty database, and only its owner can read the file of its keys', async () => {
  const demo = await make();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(demo);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await make()).toBeUndefined();
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
  const printed = await reminder(service.application, service.url, dataDir);
  expect(printed).toContain(`kept in ${file}.\n`);
  expect(printed).toContain(
    `ORGANIZATION=${demo?.organization} KEY=${demo?.key} LEDGER_KEY=${demo?.ledgerKey}\n`,
  );
  expect(printed).toContain(`WEBHOOK_SECRET=${demo?.webhookSecret} npx tillgate`);
  expect(
    (await get(`${service.url}/v1/payments/${demo?.payment}`, { key: demo?.key })).body.amount,
  ).toBe(5000);
});

test('the demo is not made again after its file was removed', async () => {
  await make();
  rmSync(file);
  expect(await make()).toBeUndefined();
  expect(existsSync(file)).toBe(false);
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
  expect(await reminder(service.application, service.url, dataDir)).toBe(
    `Demo keys are made once, on an empty database, and kept in ${file}, which cannot be read.\n`,
  );
});

test('the commands of the tour work as they are printed, and a later start shows an open order', async () => {
  service.application.get(PublicUrl).value = service.url;
  const demo = (await make()) as Demo;
  const lines = tour(service.url, demo).split('\n');
  const pasted = lines.slice(
    lines.findIndex((line) => line.startsWith('API=')),
    lines.findIndex((line) => line.startsWith('Webhooks: ')),
  );
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', pasted.join('\n')]);
  expect(stderr).toBe('');
  const answers = stdout.split('\n').filter((line) => line.startsWith('{'));
  const [
    created,
    page,
    again,
    read,
    listed,
    paid,
    complete,
    refund,
    tooMuch,
    waiting,
    settled,
    left,
  ] = answers.map((answer) => JSON.parse(answer));
  expect(page).toMatchObject({
    checkout_session: created.id,
    url: expect.stringContaining(`${service.url}/c/`),
  });
  expect(stdout).toMatch(/^HTTP\/1\.1 201 Created\r\nidempotent-replayed: true\r$/m);
  expect([again, read, listed.data[0].id]).toEqual([created, created, created.id]);
  expect([paid.checkout_session, complete]).toMatchObject([
    created.id,
    { id: created.id, payment_status: 'paid' },
  ]);
  expect(refund).toMatchObject({ status: 'pending', amount: 500 });
  expect(tooMuch.error).toMatchObject({
    code: 'refund_exceeds_remaining',
    errors: [{ allowed: ['4500'] }],
  });
  expect(waiting.data).toMatchObject([{ id: refund.id }]);
  expect([settled, left]).toMatchObject([
    { id: refund.id, status: 'succeeded' },
    { amount_refundable: 4500 },
  ]);
  expect(answers).toHaveLength(12);

  const shown = () => reminder(service.application, service.url, dataDir);
  expect(await shown()).toContain(`\n  ${demo.page}\n`);
  const { data } = (await get(`${service.url}/v1/checkout_sessions?status=open`, { key: demo.key }))
    .body;
  await post(`${service.url}/v1/checkout_sessions/${data[0].id}/expire`, { key: demo.key });
  expect(await shown()).not.toContain('Open this page');
});

test('the demo is not made in a database that somebody uses', async () => {
  await createTenant(service);
  expect(await make()).toBeUndefined();
  expect(existsSync(file)).toBe(false);
  expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 0 });
});

/** Each row says where the making stops, the SQL that stops it, and the SQL that lets it go on. */
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
])(
  'a demo that was stopped %s leaves nothing, and the next start makes it',
  async (_, stop, goOn) => {
    await service.sql.query(stop);
    await expect(make()).rejects.toThrow('stop');
    expect(await made()).toEqual({ organizations: 0, keys: 0, payments: 0 });
    await service.sql.query(goOn);
    const demo = await make();
    expect(await made()).toEqual({ organizations: 1, keys: 2, payments: 1 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(demo);
  },
);
