/** Every command prints one JSON object on standard output, or one line on standard error. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { command } from '../support/command.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { commandLine, Scratch, type Server, startServer } from '../support/processes.js';

const UNKNOWN = '00000000000000000000000001';
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

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url });
  organization = (await succeed('org', 'create', 'Shop')).id;
});

afterAll(async () => {
  await server.stop();
  await database.drop();
});

/** Runs the command and returns the object that it prints. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what the object is.
async function succeed(...args: string[]): Promise<any> {
  const { status, stdout, stderr } = await command(args, { DATABASE_URL: database.url });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

/** Runs the command and returns the line with which it fails. */
async function fail(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await command(args, { DATABASE_URL: database.url });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trimEnd();
}

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

  test('a key of live mode is not made in a missing embedded database, which is not made either', async () => {
    const scratch = new Scratch();
    const DATA_DIR = scratch.dataDir();
    const stderr = `DATABASE_URL is not set, and DATA_DIR, ${DATA_DIR}, has no database: none is made for live mode.\n`;
    const key = command(['key', 'create', '--kind', 'ledger', '--mode', 'live'], { DATA_DIR });
    expect(await key).toEqual({ status: 1, stdout: '', stderr });
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

describe('a command that contradicts itself changes nothing:', () => {
  test.each(['test', 'live'])(
    'redact refuses a %s session of another organization',
    async (mode) => {
      const { id: other } = await succeed('org', 'create', 'Other');
      const { key } = await createKey('--mode', mode);
      const { id } = (await createSession(key)).body;
      await post(`${server.url}/v1/checkout_sessions/${id}/expire`, { key });
      const types = async () => {
        const { body } = await get(`${server.url}/v1/events?object=${id}`, { key });
        return body.data.map(({ type }: { type: string }) => type);
      };
      const expired = ['checkout.session.expired', 'checkout.session.created'];
      expect(await fail('redact', '--session', id, '--org', other)).toBe(
        `${id} belongs to another organization than ${other}.`,
      );
      expect(await types()).toEqual(expired);
      const redacted = await succeed('redact', '--session', id, '--org', organization);
      expect(redacted).toEqual({ redacted: 1 });
      expect(await types()).toEqual(['checkout.session.redacted', ...expired]);
    },
  );

  test('payment record refuses a session of another organization or mode', async () => {
    const { id: other } = await succeed('org', 'create', 'Other');
    const { key } = await createKey();
    const { id: session } = (await createSession(key)).body;
    const facts = ['--amount', '1000', '--currency', 'usd', '--session', session];
    for (const [of, mode = ''] of [
      [other, 'test'],
      [organization, 'live'],
      [other, 'live'],
    ]) {
      const fault = `No such checkout session in ${mode} mode.`;
      expect(await fail('payment', 'record', '--org', of as string, '--mode', mode, ...facts)).toBe(
        fault,
      );
    }
    const { body } = await get(`${server.url}/v1/checkout_sessions/${session}`, { key });
    expect(body.status).toBe('open');
    expect(
      (await get(`${server.url}/v1/payments?checkout_session=${session}`, { key })).body.data,
    ).toEqual([]);
  });
});

describe('the command line refuses', () => {
  test.each([
    ['org create My Shop', 'A value with spaces needs quotes.'],
    ['org create Shop --colour red', "Unknown option '--colour'."],
    ['org explode Shop', "Unknown command 'explode'. See tillgate --help."],
    ['org lists', "Unknown command 'lists' (Did you mean list?) See tillgate --help."],
    [
      'key create --kind ledger --mode test --origin shop.example',
      'shop.example is not an origin like',
    ],
    ['key create --mode demo', "'demo' is invalid. Allowed choices are test, live."],
    ['key revoke', "Missing required argument 'key'."],
    [`key list now --org org_${UNKNOWN}`, "Too many arguments for 'list'."],
    ['key list', '--org is missing: secret keys belong to an organization.'],
    ...['ledger', 'operator'].map((kind) => [
      `key list --org org_${UNKNOWN} --kind ${kind}`,
      `Give --org or --kind ${kind}: such keys belong to no organization.`,
    ]),
    [`key list --org org_${UNKNOWN}`, 'No such organization.'],
    [`key create --mode test --org org_${UNKNOWN}`, 'No such organization.'],
    [`key create --mode test --kind operator`, 'Each key has a mode, except an operator key.'],
    [`redact --org org_${UNKNOWN} --email a@shop.example`, 'No such organization.'],
    [`redact --org org_${UNKNOWN} --session cs_test_${UNKNOWN}`, 'No such resource.'],
    [
      `payment record --amount 5 --currency usd --mode test --org org_${UNKNOWN}`,
      'No such organization.',
    ],
    [`webhook secret rotate --org org_${UNKNOWN}`, 'No such organization.'],
    [`org show org_${UNKNOWN}`, 'No such organization.'],
    [`key revoke key_${UNKNOWN}`, 'No such key.'],
    ['payment record --amount -5', 'It must be a whole number from 1 to 999999999999.'],
    ['payment record --amount 5', "Required option '--org <organization>' not specified."],
    [
      'payment record --session pay_1',
      'It must be a whole identifier, cs_test_… or cs_live_…, with 26 characters after the last _.',
    ],
    [
      'webhook listen',
      'WEBHOOK_SECRET must be the secret of the organization or endpoint: whsec_ and base64.',
    ],
  ])('%s', async (words, message) => {
    expect(await fail(...words.split(' ').filter(Boolean))).toContain(message);
  });
});

describe('help', () => {
  const help = (...words: string[]) => command([...words, '--help'], { PORT: 'no port' });

  test.each([[], ['org'], ['key'], ['payment'], ['webhook'], ['webhook', 'secret']])(
    'lists the commands of tillgate %s',
    async (...words) => {
      const { status, stdout, stderr } = await help(...words);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: ${['tillgate', ...words].join(' ')} `));
      // Each command has one line, which describes it in words.
      const [, commands = ''] = stdout.split('Commands:\n');
      expect(commands.trimEnd().split('\n')).toEqual(commands.match(/^ {2}\S.* {2}\S.*$/gm));
    },
  );

  test('names the options of a command', async () => {
    const { status, stdout } = await help('key', 'rotate');
    expect(status).toBe(0);
    for (const option of ['<key>', '--overlap <span>', '--expires <when>'])
      expect(stdout).toContain(option);
  });

  test.each([[[]], [['key']]])(
    'is printed with exit code 1 if no command is given',
    async (words) => {
      const { status, stdout, stderr } = await command(words, {});
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^Usage: tillgate/);
    },
  );

  test('--version prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await commandLine(['--version'], {})).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });
});

test('a reader that closes the pipe early causes no error', async () => {
  const command = `"${process.execPath}" dist/src/operator/cli/cli.js --help | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', command]);
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

test('a command ends when the application cannot start', async () => {
  const broken = await createDatabase();
  await withClient(broken.url, (client) =>
    client.query('ALTER TABLE encryption_keys RENAME TO lost'),
  );
  expect(await commandLine(['org', 'list'], { DATABASE_URL: broken.url })).toEqual({
    status: 1,
    stdout: '',
    stderr: 'relation "encryption_keys" does not exist\n',
  });
  await broken.drop();
});
