/**
 * A redaction is killed in the middle. Each session is then redacted whole or not at all, and a
 * second run redacts the rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { atOnce, post } from '../support/client.js';
import { command } from '../support/command.js';
import { EMAIL, keepDetails, plantedSession, tablesWithPlant } from '../support/planted.js';
import { run, serve, until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';

const MANY = 120;

const service = useService();
const shop = useShop(service);

afterEach(() => expectBalanced(service));

/** Makes sessions that expired, of which the last one is still open. */
async function manySessions(): Promise<readonly string[]> {
  const made = await atOnce(MANY, () => shop.createSession(plantedSession('https://shop.example')));
  const ids = made.map(({ body }) => body.id);
  await Promise.all(ids.slice(0, -1).map((id) => shop.expire(id)));
  return ids;
}

const count = async (text: string) =>
  (await service.sql.query(`SELECT count(*)::integer AS count FROM ${text}`)).rows[0].count;
const REDACTED = '(SELECT id FROM checkout_sessions WHERE is_redacted)';
const redactedCount = () => count('checkout_sessions WHERE is_redacted');

/** Expects that each session has all of its details or none of them. */
async function expectWhole(): Promise<void> {
  // Each check is one statement, because PostgreSQL may still commit what the killed process sent.
  const told = `SELECT object_id FROM events WHERE type = 'checkout.session.redacted'`;
  expect(await count(`checkout_sessions WHERE is_redacted AND id NOT IN (${told})`)).toBe(0);
  expect(await count(`events WHERE data LIKE '%planted%' AND object_id IN ${REDACTED}`)).toBe(0);
  expect(
    await count(`idempotency_keys WHERE body LIKE '%planted%' AND resource_id IN ${REDACTED}`),
  ).toBe(0);
  expect(await count(`events WHERE object_id NOT IN (SELECT id FROM checkout_sessions)`)).toBe(0);
}

test('the command redacts the rest of a mailbox after it was killed', async () => {
  const ids = await manySessions();
  const words = ['redact', '--org', shop.organization, '--email', EMAIL.toUpperCase()];
  const environment = { DATABASE_URL: service.databaseUrl };
  for (let before = 0; before < MANY / 2; before = await redactedCount()) {
    const { child, ended } = run(['dist/bundle/cli.js', ...words], environment);
    await until(async () => (await redactedCount()) > before + 3, 'it redacts');
    child.kill('SIGKILL');
    await ended;
    await expectWhole();
  }
  const left = MANY - 1 - (await redactedCount());
  const done = await command(words, environment);
  const open = ids.at(-1) as string;
  const printed = { redacted: left, open: 1, open_sessions: [open] };
  expect([done.status, JSON.parse(done.stdout)]).toEqual([0, printed]);
  await expectWhole();

  const refused = await command(['redact', '--session', open], environment);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringContaining('The session is open.'),
  ]);
  await shop.expire(open);
  expect((await command(['redact', '--session', open], environment)).stdout).toBe(
    '{"redacted":1}\n',
  );
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test('the service removes the rest of the old sessions after it was killed', async () => {
  await manySessions();
  await keepDetails(service, shop, 1);
  const sessions = () => count('checkout_sessions');
  const advance = async (url: string, advance_seconds: number) =>
    post(`${url}/v1/test_helpers/clock`, { key: shop.key, body: { advance_seconds } });
  const first = await serve(service.databaseUrl);
  const before = await sessions();
  const cutOff = advance(first.url, 3 * 86_400).catch(() => undefined);
  await until(async () => (await sessions()) < before, 'it removes');
  await first.stop('SIGKILL');
  await cutOff;
  await expectWhole();
  await sleep(200);
  const second = await serve(service.databaseUrl);
  await advance(second.url, 60);
  await second.stop();
  await expectWhole();
  expect(
    await count(
      `checkout_sessions WHERE organization_id = (SELECT organization_id FROM sandbox_clocks)`,
    ),
  ).toBe(0);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});
