/**
 * The command redacts all sessions of a mailbox, however the address is spelled in each of them.
 */
import { beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { atOnce, post, SMALLEST } from '../support/client.js';
import { command } from '../support/command.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';

const service = useService();
let twin: Awaited<ReturnType<typeof Shop.openTwin>>;

beforeEach(async () => {
  twin = await Shop.openTwin(service);
});

const redact = (organization: string, email: string) =>
  command(['redact', '--org', organization, '--email', email], {
    DATABASE_URL: service.databaseUrl,
  });

/** Runs the command and returns what it prints. */
async function redacted(email: string): Promise<unknown> {
  const { status, stdout } = await redact(twin.test.organization, email);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

async function opened(shop: Shop, email: string): Promise<string> {
  const { status, body } = await shop.createSession({ ...SMALLEST, customer_email: email });
  expect([status, body.customer_email]).toEqual([201, email]);
  return body.id;
}

async function closed(shop: Shop, email: string): Promise<string> {
  const id = await opened(shop, email);
  await shop.expire(id);
  return id;
}

async function emailsOf(shop: Shop, ids: readonly string[]): Promise<unknown[]> {
  const read = ids.map((id) => shop.get(`/v1/checkout_sessions/${id}`));
  return (await Promise.all(read)).map(({ body }) => body.customer_email);
}

const SPELLINGS = [
  ['ana@bücher.example', 'ANA@xn--bcher-kva.example', '"ana"@BÜCHER.EXAMPLE'],
  ['Ünal@shop.example', 'ünal@Shop.example', 'U\u0308NAL@shop.example', '"\\ünal"@shop。example'],
  ['straße@shop.example', 'STRASSE@shop.example'],
  ['İpek@shop.example', 'i\u0307pek@shop.example'],
  ['ana@[IPv6:2001:db8::1]', 'ana@[ipv6:2001:DB8:0:0:0:0:0:1]'],
];

test.each(SPELLINGS)(
  'redacts sessions with the address %j in every spelling',
  async (...spellings) => {
    const sessions = (shop: Shop) => Promise.all(spellings.map((email) => closed(shop, email)));
    for (const email of spellings) {
      const [inTest, inLive] = [await sessions(twin.test), await sessions(twin.live)];
      const done = { redacted: 2 * spellings.length, open: 0, open_sessions: [] };
      expect(await redacted(email)).toEqual(done);
      const gone = spellings.map(() => null);
      expect(await emailsOf(twin.test, inTest)).toEqual(gone);
      expect(await emailsOf(twin.live, inLive)).toEqual(gone);
    }
  },
);

test('leaves other mailboxes and other organizations as they are', async () => {
  const other = await Shop.openTwin(service);
  const same = 'ana@shop.example';
  const others = ['ana+1@shop.example', 'a.na@shop.example', 'anna@shop.example', 'ana@a.example'];
  const kept = await Promise.all(others.map((email) => closed(twin.test, email)));
  const [inTest, inLive] = [await closed(other.test, same), await closed(other.live, same)];
  const gone = await closed(twin.live, same);
  expect(await redacted(same)).toEqual({ redacted: 1, open: 0, open_sessions: [] });
  expect(await emailsOf(twin.live, [gone])).toEqual([null]);
  expect(await emailsOf(twin.test, kept)).toEqual(others);
  expect(await emailsOf(other.test, [inTest])).toEqual([same]);
  expect(await emailsOf(other.live, [inLive])).toEqual([same]);
});

test('counts and names open sessions, and redacts them after they are closed', async () => {
  const email = 'ana@shop.example';
  await closed(twin.test, email);
  await opened(twin.test, 'anna@shop.example');
  const [inTest, inLive] = [
    await opened(twin.test, email),
    await opened(twin.live, 'ANA@Shop.example'),
  ];
  const first = { redacted: 1, open: 2, open_sessions: [inTest, inLive] };
  expect(await redacted(email)).toEqual(first);
  expect(await emailsOf(twin.test, [inTest])).toEqual([email]);
  await twin.live.expire(inLive);
  expect(await redacted(email)).toEqual({ redacted: 1, open: 1, open_sessions: [inTest] });
  expect(await redacted(email)).toEqual({ redacted: 0, open: 1, open_sessions: [inTest] });
});

test('takes an overdue session as closed, by the clock of its mode', async () => {
  const email = 'ana@shop.example';
  const [overdue, open] = [await opened(twin.test, email), await opened(twin.live, email)];
  // The sweeper does not store that the session is expired while its row is held.
  const outsider = await Holder.connect(service.databaseUrl);
  await outsider.hold('SELECT FROM checkout_sessions WHERE id = $1 FOR UPDATE', [uuidOf(overdue)]);
  const clock = { key: twin.test.key, body: { advance_seconds: 30 * 86_400 } };
  expect((await post(`${service.url}/v1/test_helpers/clock`, clock)).status).toBe(200);
  const done = redacted(email);
  await until(async () => (await waitingForLocks(service.sql)) === 1);
  await outsider.end();
  expect(await done).toEqual({ redacted: 1, open: 1, open_sessions: [open] });
  expect(await emailsOf(twin.test, [overdue])).toEqual([null]);
});

test('finds more sessions than it reads at once, and names the first hundred open ones', async () => {
  const ids: string[] = [];
  while (ids.length < 1050)
    ids.push(...(await atOnce(50, () => opened(twin.live, 'ana@shop.example'))));
  const last = await closed(twin.live, 'ana@shop.example');
  const named = ids.toSorted().slice(0, 100);
  const done = { redacted: 1, open: 1050, open_sessions: named };
  expect(await redacted('ana@shop.example')).toEqual(done);
  expect(await emailsOf(twin.live, [last])).toEqual([null]);
});

test.each(['ana', 'ana@', '@shop.example', 'ana@shop..example', 'a\u200bna@shop.example', ''])(
  'refuses %j, which is no address',
  async (email) => {
    const { status, stdout, stderr } = await redact(twin.test.organization, email);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*It must be one e-mail address\.\n$/);
  },
);
