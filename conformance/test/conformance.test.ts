/** The service passes the conformance kit, and responses that do not conform fail it. */
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../../test/kit/setup.js';
import { type PassingAnswer, startHttpProxy } from '../../test/support/http-proxy.js';
import { type Ended, run } from '../../test/support/processes.js';
import { listen } from '../../test/support/sockets.js';
import { createKey, createLedgerKey, createOperatorKey } from '../../test/support/tenants.js';

const TOPICS = readdirSync('conformance/cases')
  .sort()
  .map((file) => file.replace('.json', ''));
/** This port is closed, because nothing listens below the first port that is handed out. */
const NOWHERE = 'http://127.0.0.1:1';

const service = useService();
const shop = useShop(service, {}, beforeAll);
let ledger: string[];
let restricted: string[];

beforeAll(async () => {
  const { organization } = shop;
  const own = ['--organization', organization, '--operator-key', await createOperatorKey(service)];
  ledger = ['--ledger-key', await createLedgerKey(service), ...own];
  const proposer = await createKey(service, { organization, rights: ['propose'] });
  const approver = await createKey(service, { organization, rights: ['approve'] });
  restricted = ['--proposer-key', proposer, '--approver-key', approver];
});

const kit = (...args: readonly string[]): Promise<Ended> =>
  run(['dist/conformance/run.js', ...args]).ended;
const conform = (url: string, ...args: readonly string[]): Promise<Ended> =>
  kit('--base-url', url, '--key', shop.key, ...args);

interface Report {
  readonly topics: { name: string; cases: { name: string; outcome: string; reason?: string }[] }[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

test('passes the service, and again on the data of the first run', async () => {
  for (const time of [1, 2]) {
    const { status, stdout, stderr } = await conform(service.url, ...ledger, ...restricted);
    expect({ time, status, stderr, failed: stdout.match(/^ {2}FAILED.*/gm) }).toEqual({
      time,
      status: 0,
      stderr: '',
      failed: null,
    });
    expect(stdout).toMatch(/\n\nConforms: \d+ passed, 0 failed in [\d.]+ s\.\n$/);
  }
});

test('skips the cases that need a missing ledger key, by name and with the reason', async () => {
  const { status, stdout } = await conform(service.url, '--json');
  const { topics, passed, failed, skipped } = JSON.parse(stdout) as Report;
  const cases = topics.flatMap((topic) => topic.cases);
  const left = cases.filter(({ outcome }) => outcome === 'skipped');
  expect({ status, failed, topics: topics.map(({ name }) => name) }).toEqual({
    status: 0,
    failed: 0,
    topics: TOPICS,
  });
  expect(passed).toBeGreaterThan(250);
  expect(new Set(left.map(({ reason }) => reason))).toEqual(
    new Set([
      'needs --ledger-key and --organization',
      'needs --operator-key',
      'needs --ledger-key, --organization, --proposer-key and --approver-key',
    ]),
  );
  expect(left).toHaveLength(skipped);
  expect((await conform(service.url, '--only', 'refunds')).stdout).toContain(
    `  skipped  a recorded payment can be read (resources, refunds): needs --ledger-key and --organization\n`,
  );
});

describe('the kit beside a service that does not conform', () => {
  const isSession = ({ path, status }: PassingAnswer) =>
    status === 201 && path === '/v1/checkout_sessions';
  const addOne = (answer: PassingAnswer) => {
    if (isSession(answer)) answer.body.amount_total += 1;
  };
  const changeReplays = (answer: PassingAnswer) => {
    if (answer.headers['idempotent-replayed'] && isSession(answer))
      answer.body.description = String(Math.random());
  };
  const unmark = ({ headers }: PassingAnswer) => {
    delete headers['idempotent-replayed'];
  };

  test.each([
    [
      'an amount that is off by one',
      'amounts',
      addOne,
      /body\.amount_total\n {6}expected {2}1000\n {6}got {7}1001\n/,
    ],
    ['a replay in other bytes', 'idempotency', changeReplays, /\n {4}text\n/],
    [
      'a replay that is not marked',
      'idempotency',
      unmark,
      /headers\.Idempotent-Replayed\n {6}expected {2}true\n {6}got {7}null\n/,
    ],
  ])('finds %s', async (_, topic, change, at) => {
    const proxy = await startHttpProxy(service.url, change);
    try {
      const { status, stdout } = await conform(proxy.url, '--only', topic, ...ledger);
      expect({ status, at: stdout }).toEqual({ status: 1, at: expect.stringMatching(at) });
      expect(stdout).toMatch(/\n\nDoes not conform: \d+ passed, [1-9]\d* failed in [\d.]+ s\.\n$/);
      expect(stdout).not.toContain(shop.key);
    } finally {
      await proxy.close();
    }
  });
});

describe('the kit', () => {
  const LIVE = `sk_live_${'A'.repeat(38)}`;
  const at = () => ['--base-url', service.url];
  test.each<[what: string, args: () => string[], line: RegExp]>([
    [
      'nothing is there',
      () => ['--base-url', NOWHERE, '--key', shop.key],
      /^Cannot reach .*: ECONNREFUSED\.\n$/,
    ],
    [
      'its key is refused',
      () => [...at(), '--key', 'sk_test_x'],
      /^.* refuses the key given as --key\.\n$/,
    ],
    ['it has no key', at, /^Usage: .*\n$/],
    ['an option is unknown', () => ['--colour'], /^Unknown option '--colour'\. Usage: .*\n$/],
    ['a topic is unknown', () => [...at(), '--key', shop.key, '--only', 'x'], /^--only must .*\n$/],
    ['a live key is too risky', () => [...at(), '--key', LIVE], /^.*--allow-live\.\n$/],
    [
      'one restricted key is too few',
      () => [...at(), '--key', shop.key, ...restricted.slice(2)],
      /^.*together\.\n$/,
    ],
    [
      'half a ledger is none',
      () => [...at(), '--key', shop.key, ...ledger.slice(2)],
      /^.*together\.\n$/,
    ],
  ])('says in one line that %s', async (_, args, line) => {
    expect(await kit(...args())).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(line),
    });
  });

  test.each(['{}', 'null', '<h1>Welcome</h1>'])(
    'says in one line that another service responds with %s',
    async (body) => {
      const elsewhere = createServer((_, response) => void response.end(body));
      const address = `http://127.0.0.1:${await listen(elsewhere)}`;
      const stderr = expect.stringMatching(
        /^.* with 200 and no list: is it the address of the API\?\n$/,
      );
      expect(await conform(address)).toEqual({ status: 2, stdout: '', stderr });
      elsewhere.close();
    },
  );

  test('runs with a live key that is allowed', async () => {
    const { status } = await kit(
      ...at(),
      '--key',
      shop.tenant.live,
      '--allow-live',
      '--only',
      'ids',
    );
    expect(status).toBe(0);
  });
});
