/**
 * Commands that may take long print their progress on a terminal, and nothing but their result on
 * stdout.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { command } from '../support/command.js';
import { createDatabase } from '../support/postgres.js';

const CLEAR = '\r\u001b[K';

const service = useService();
const shop = useShop(service);

beforeAll(() => void Object.defineProperty(process.stderr, 'isTTY', terminal(true)));
afterAll(() => void Object.defineProperty(process.stderr, 'isTTY', terminal(undefined)));

const terminal = (value: true | undefined) => ({ value, configurable: true, writable: true });

/** Runs a command, whose stdout must be one JSON object in a line. Returns its lines on stderr. */
async function linesOf(words: readonly string[], environment: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = await command(words, environment);
  expect([status, stdout]).toEqual([0, `${JSON.stringify(JSON.parse(stdout))}\n`]);
  return stderr
    .split(CLEAR)
    .filter((text) => text.endsWith('\n'))
    .join('')
    .replaceAll(/, [\d.,]+ a second, after \d+ s/g, '')
    .split('\n')
    .filter(Boolean);
}

test('migrate, reencrypt, redact and reconcile name each part of their work and its size', async () => {
  const DATABASE_URL = service.databaseUrl;
  const email = 'ana@shop.example';
  for (const customer_email of [email, email, 'other@shop.example']) {
    const { body } = await shop.createSession({ ...SMALLEST, customer_email });
    await shop.expire(body.id);
  }

  const redact = ['redact', '--org', shop.organization, '--email', email];
  expect(await linesOf(redact, { DATABASE_URL })).toEqual([
    'Reading sessions with an e-mail address, test: 3',
    'Redacting sessions, test: 2 of 2',
  ]);

  const older = '1'.repeat(32);
  const rotate = ['webhook', 'secret', 'rotate', '--org', shop.organization];
  expect(await linesOf(rotate, { DATABASE_URL, ENCRYPTION_KEY: older })).toEqual([]);
  const keys = { ENCRYPTION_KEY: '2'.repeat(32), DECRYPTION_KEYS: older };
  expect(await linesOf(['reencrypt'], { DATABASE_URL, ...keys })).toEqual([
    'Encrypting secrets: 2 of 2',
    'Looking for values that changed meanwhile: 2 of 2',
  ]);

  expect(await linesOf(['reconcile'], { DATABASE_URL })).toEqual([
    expect.stringMatching(/^Checking rows: \d+ of \d+ \(.+\)$/),
  ]);
});

test('migrate names the migration that it has applied last', async () => {
  const database = await createDatabase({ empty: true });
  const environment = { DATABASE_URL: database.url };
  try {
    const [line, ...others] = await linesOf(['migrate'], environment);
    const [, done, all] = /^Applying migrations: (\d+) of (\d+) \(\w+\)$/.exec(line ?? '') ?? [];
    expect([others, done]).toEqual([[], all]);
    expect(Number(all)).toBeGreaterThan(1);
    expect(await linesOf(['migrate'], environment)).toEqual([]);
  } finally {
    await database.drop();
  }
});
