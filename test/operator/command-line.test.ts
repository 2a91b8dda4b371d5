/** Every command prints one JSON object on standard output, or one line on standard error. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { command, commandsOn } from '../support/command.js';
import { createDatabase } from '../support/postgres.js';
import { Scratch, type Server, startServer } from '../support/processes.js';

const organizationId = expect.stringMatching(/^org_[0-9a-hjkmnp-tv-z]{26}$/);
const keyId = expect.stringMatching(/^key_[0-9a-hjkmnp-tv-z]{26}$/);
const DAY_SECONDS = 86_400;
const BEGAN = Math.floor(Date.now() / 1000);

/** Expects that the instant is so many seconds after a moment of this run. */
function expectFromNow(instant: number, seconds: number): void {
  expect(instant - seconds).toBeGreaterThanOrEqual(BEGAN);
  expect(instant - seconds).toBeLessThanOrEqual(Date.now() / 1000);
}

let database: Awaited<ReturnType<typeof createDatabase>>;
let server: Server;
let organization: string;
const { succeed, fail } = commandsOn(() => database.url);

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url });
  organization = (await succeed('org', 'create', 'Shop')).id;
});

afterAll(async () => {
  await server.stop();
  await database.drop();
});

async function createKey(...options: string[]) {
  return succeed('key', 'create', '--org', organization, '--mode', 'test', ...options);
}

async function createSession(key: string, headers: Record<string, string> = {}) {
  return post(`${server.url}/v1/checkout_sessions`, { key, body: SMALLEST, headers });
}

describe('organizations and keys', () => {
  test('org create prints the organization and its webhook secret', async () => {
    expect(await succeed('org', 'create', 'Zoë’s Shop')).toEqual({
      id: organizationId,
      name: 'Zoë’s Shop',
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('org list and org show find an organization', async () => {
    const { id, name } = await succeed('org', 'create', 'Found again');
    const organizations = await succeed('org', 'list');
    expect(organizations).toEqual({ object: 'list', data: expect.any(Array) });
    const shown = organizations.data.at(-1);
    expect(shown).toMatchObject({
      id,
      object: 'organization',
      name,
      payment_url: { test: null, live: null },
    });
    const { key: _, ...key } = await succeed('key', 'create', '--org', id, '--mode', 'live');
    expect(await succeed('org', 'show', id)).toEqual({ ...shown, keys: [key] });
  });

  test('key create prints a key that works at once on the running server', async () => {
    const origins = ['https://a.example', 'http://localhost:5173'];
    const key = await createKey(
      '--expires',
      '30d',
      ...origins.flatMap((origin) => ['--origin', origin]),
    );
    expect(key).toEqual({
      id: keyId,
      object: 'api_key',
      key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{38}$/),
      mode: 'test',
      kind: 'secret',
      organization,
      holder: key.id,
      rights: [],
      prefix: key.key.slice(0, 12),
      origins,
      expires_at: expect.any(Number),
      revoked_at: null,
      last_used_at: null,
      created: expect.any(Number),
    });
    expectFromNow(key.expires_at, 30 * DAY_SECONDS);
    expect((await createSession(key.key, { origin: 'https://a.example' })).status).toBe(201);
  });

  test('a ledger key belongs to no organization', async () => {
    expect(await succeed('key', 'create', '--kind', 'ledger', '--mode', 'live')).toMatchObject({
      key: expect.stringMatching(/^lk_live_[0-9A-Za-z]{38}$/),
      kind: 'ledger',
      mode: 'live',
      organization: null,
    });
    expect(
      await fail('key', 'create', '--kind', 'ledger', '--mode', 'live', '--org', organization),
    ).toBe(
      'A secret or restricted key belongs to an organization, a ledger or operator key to none.',
    );
  });

  test('an operator key has no mode, a restricted key has rights', async () => {
    const operator = await succeed('key', 'create', '--kind', 'operator', '--holder', 'Sign-up');
    expect(operator).toMatchObject({
      kind: 'operator',
      mode: null,
      organization: null,
      holder: 'Sign-up',
    });
    expect(operator.key).toMatch(/^ok_[0-9A-Za-z]{38}$/);
    expect((await succeed('key', 'list', '--kind', 'operator')).data).toMatchObject([
      { id: operator.id },
    ]);
    const restricted = await createKey(
      '--kind',
      'restricted',
      '--right',
      'sessions',
      '--right',
      'propose',
    );
    expect(restricted).toMatchObject({
      kind: 'restricted',
      rights: ['sessions', 'propose'],
      holder: restricted.id,
    });
    expect(restricted.key).toMatch(/^rk_test_[0-9A-Za-z]{38}$/);
    const { data } = await succeed('key', 'list', '--org', organization, '--kind', 'restricted');
    expect(data).toMatchObject([{ id: restricted.id }]);
  });

  test('org set changes the settings that are given', async () => {
    const { id } = await succeed('org', 'create', 'Old name');
    const change = [
      '--name',
      'New name',
      '--refund-approval',
      'all',
      '--details-retention-days',
      '30',
      '--unique-references',
      'on',
    ];
    const changed = {
      name: 'New name',
      refund_approval: 'all',
      details_retention_days: 30,
      unique_references: true,
    };
    expect(await succeed('org', 'set', id, ...change)).toMatchObject(changed);
    expect(await succeed('org', 'show', id)).toMatchObject(changed);
    const kept = { ...changed, details_retention_days: null };
    expect(await succeed('org', 'set', id, '--no-details-retention-days')).toMatchObject(kept);
    const off = { ...kept, unique_references: false };
    expect(await succeed('org', 'set', id, '--unique-references', 'off')).toMatchObject(off);
  });

  test.each([
    ['key create --kind ledger --mode live', 'none is made for live mode'],
    ...[
      'redact --session cs_test_00000000000000000000000001',
      'key revoke key_00000000000000000000000001',
      'org set org_00000000000000000000000001 --name Shop',
      'webhook secret rotate --org org_00000000000000000000000001',
    ].map((words) => [words, 'a new one would not have what the command names'] as const),
  ])('%s makes no embedded database where none is', async (words, reason) => {
    const scratch = new Scratch();
    const DATA_DIR = scratch.dataDir();
    const stderr = `DATABASE_URL is not set, and DATA_DIR, ${DATA_DIR}, has no database: ${reason}.\n`;
    expect(await command(words.split(' '), { DATA_DIR })).toEqual({
      status: 1,
      stdout: '',
      stderr,
    });
    expect(existsSync(DATA_DIR)).toBe(false);
    scratch.clear();
  });

  test('key list shows every key, the oldest first, without its token', async () => {
    const { id } = await succeed('org', 'create', 'List');
    const made = [];
    for (const mode of ['test', 'live'])
      made.push(await succeed('key', 'create', '--org', id, '--mode', mode));
    const shown = made.map(({ key: _, ...rest }) => rest);
    expect(await succeed('key', 'list', '--org', id)).toEqual({ object: 'list', data: shown });
    const { key: _, ...ledger } = await succeed(
      'key',
      'create',
      '--kind',
      'ledger',
      '--mode',
      'live',
    );
    expect((await succeed('key', 'list', '--kind', 'ledger')).data).toContainEqual(ledger);
  });

  test('key revoke ends a key', async () => {
    const { id, key: _, ...rest } = await createKey();
    expect(await succeed('key', 'revoke', id)).toEqual({
      id,
      ...rest,
      revoked_at: expect.any(Number),
    });
    expect(await fail('key', 'rotate', id)).toBe(
      'This key is revoked or expired: create a new one.',
    );
  });

  test('key rotate makes a key like the old one, which ends after the overlap', async () => {
    const old = await createKey('--origin', 'https://a.example', '--holder', 'Ada Lovelace');
    const { previous_expires_at, ...like } = await succeed(
      'key',
      'rotate',
      old.id,
      '--overlap',
      '12h',
    );
    const kept = { holder: 'Ada Lovelace', rights: [], origins: ['https://a.example'] };
    expect(like).toMatchObject({ mode: 'test', kind: 'secret', organization, ...kept });
    expectFromNow(previous_expires_at, DAY_SECONDS / 2);
    expect(await endOf(old.id)).toBe(previous_expires_at);
  });

  test('a rotated key ends when the old key would have ended, unless another end is given', async () => {
    const old = await createKey('--expires', '12h');
    const { expires_at } = old;
    const second = await succeed('key', 'rotate', old.id);
    expect(second).toMatchObject({ expires_at, previous_expires_at: expires_at });
    const endless = await succeed('key', 'rotate', old.id, '--expires', 'never');
    expect(endless).toMatchObject({ expires_at: null, previous_expires_at: expires_at });
    const third = await succeed('key', 'rotate', old.id, '--expires', '30d');
    expectFromNow(third.expires_at, 30 * DAY_SECONDS);
    expect(await endOf(old.id)).toBe(old.expires_at);
  });

  async function endOf(key: string): Promise<number | null> {
    const { keys } = await succeed('org', 'show', organization);
    return keys.find(({ id }: { id: string }) => id === key).expires_at;
  }
});

test('payment record records a payment, and completes its session', async () => {
  const { key } = await createKey();
  const { id: checkout_session } = (await createSession(key)).body;
  const facts = [
    '--mode',
    'test',
    '--currency',
    'usd',
    '--org',
    organization,
    '--session',
    checkout_session,
  ];
  await fail('payment', 'record', ...facts, '--amount', '999');
  const payment = await succeed('payment', 'record', ...facts, '--amount', '1000');
  const { body } = await get(`${server.url}/v1/payments/${payment.id}`, { key });
  expect(payment).toEqual(body);
  expect(body).toMatchObject({
    amount: 1000,
    amount_refundable: 1000,
    currency: 'usd',
    checkout_session,
    mismatch: null,
  });
});
