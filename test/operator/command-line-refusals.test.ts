/** A command that is wrong changes nothing and says why, and each command explains itself. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { command, commandsOn } from '../support/command.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { commandLine, type Server, startServer } from '../support/processes.js';

const UNKNOWN = '00000000000000000000000001';

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

async function createKey(mode: string) {
  return succeed('key', 'create', '--org', organization, '--mode', mode);
}

/** Returns all rows of all tables. */
async function rows(): Promise<unknown[]> {
  return withClient(database.url, async (client) => {
    const names = `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' ORDER BY 1`;
    const all: unknown[] = [];
    for (const { name } of (await client.query(names)).rows)
      all.push([name, (await client.query(`SELECT * FROM ${name} ORDER BY 1, 2`)).rows]);
    return all;
  });
}

async function createSession(key: string, headers: Record<string, string> = {}) {
  return post(`${server.url}/v1/checkout_sessions`, { key, body: SMALLEST, headers });
}

describe('a command that contradicts itself changes nothing:', () => {
  test.each(['test', 'live'])(
    'redact refuses a %s session of another organization',
    async (mode) => {
      const { id: other } = await succeed('org', 'create', 'Other');
      const { key } = await createKey(mode);
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
    const { key } = await createKey('test');
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

describe('options that contradict each other, or do nothing alone, change nothing:', () => {
  const PAYMENT_URL = 'https://pay.example/{CHECKOUT_SESSION_ID}';
  /** In each row, the words A and B stand for two organizations, and KEY for a key of the first. */
  test.each([
    ['redact --org A --org B --email ada@shop.example', 'Give --org once: it has two values.'],
    ['redact --org=A --org B --email ada@shop.example', 'Give --org once: it has two values.'],
    [
      'redact --org A --email a@b.example --email c@d.example',
      'Give --email once: it has two values.',
    ],
    [
      `redact --session cs_test_${UNKNOWN} --session cs_live_${UNKNOWN}`,
      'Give --session once: it has two values.',
    ],
    [
      'payment record --org A --org B --mode test --amount 1 --currency usd',
      'Give --org once: it has two values.',
    ],
    [
      'payment record --org A --mode test --mode live --amount 1 --currency usd',
      'Give --mode once: it has two values.',
    ],
    [
      'payment record --org A --mode test --amount 1 --amount 2 --currency usd',
      'Give --amount once: it has two values.',
    ],
    ['key create --org A --org B --mode test', 'Give --org once: it has two values.'],
    [
      'key create --kind operator --kind ledger --mode test',
      'Give --kind once: it has two values.',
    ],
    [
      'key create --org A --mode test --holder ana --holder ben',
      'Give --holder once: it has two values.',
    ],
    ['key rotate KEY --overlap 1d --overlap 2d', 'Give --overlap once: it has two values.'],
    ['key list --org A --org B', 'Give --org once: it has two values.'],
    ['org create Shop --reference a --reference b', 'Give --reference once: it has two values.'],
    ['org set A --name X --name Y', 'Give --name once: it has two values.'],
    [
      `org set A --mode live --mode test --payment-url ${PAYMENT_URL}`,
      'Give --mode once: it has two values.',
    ],
    [
      `org set A --mode live --payment-url ${PAYMENT_URL} --no-payment-url`,
      'Give --payment-url or --no-payment-url, not both.',
    ],
    ['org set A --no-contact --contact a@b.example', 'Give --no-contact or --contact, not both.'],
    ['webhook secret rotate --org A --org B', 'Give --org once: it has two values.'],
    ['reconcile --apply', 'Give --apply with --repair.'],
    ['migrate --shards 4', 'Give --shards with --distribute.'],
    [
      'migrate --revert --shards 4',
      "Option '--revert' cannot be used with option '--shards <number>'.",
    ],
    [
      'migrate --revert --service-role x',
      "Option '--revert' cannot be used with option '--service-role <role>'.",
    ],
    [
      'migrate --service-role nobody_here',
      'The database has no role nobody_here. Create it first.',
    ],
  ])('%s', async (text, message) => {
    const { id: other } = await succeed('org', 'create', 'Other');
    const { id: key } = await createKey('test');
    const stands: Record<string, string> = { A: organization, B: other, KEY: key };
    const words = text
      .split(' ')
      .map((word) => stands[word] ?? word.replace('=A', `=${organization}`));
    const before = await rows();
    expect(await fail(...words)).toBe(message);
    expect(await rows()).toEqual(before);
  });

  test('the same value twice is one value', async () => {
    const key = await succeed(
      'key',
      'create',
      '--org',
      organization,
      '--org',
      organization,
      '--mode',
      'test',
    );
    expect(key).toMatchObject({ organization, mode: 'test' });
  });
});

test('a message stays in one line, whatever line break an argument has', async () => {
  const origin = 'https://a\r\n\u2028.example';
  const words = ['key', 'create', '--kind', 'ledger', '--mode', 'test', '--origin', origin];
  expect(await fail(...words)).toBe(
    'https://a .example is not an origin like https://shop.example.',
  );
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
  const command = `"${process.execPath}" dist/bundle/cli.js --help | true; echo "\${PIPESTATUS[0]}"`;
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
