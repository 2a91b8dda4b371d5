/** These sessions were closed longer ago than their organization keeps details. */
import { afterEach, expect, test } from '@jest/globals';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { isReplay, type Reply } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { Holder, overtaken } from '../support/holder.js';
import { idleJobs } from '../support/idle-jobs.js';
import { pathIn, submit } from '../support/page.js';
import {
  keepDetails,
  PLANT,
  plantedSession,
  redactedSession,
  tablesWithPlant,
} from '../support/planted.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';
const DAY = 86_400;

const service = useService({
  config: { publicUrl: 'https://pay.example' },
  overrides: [idleJobs()],
});
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const read = async (path: string) => (await shop.get(path)).body;
const create = (key?: string) => shop.post(SESSIONS, plantedSession('https://shop.example'), key);
const keepFor = (detailsRetentionDays: number) => keepDetails(service, shop, detailsRetentionDays);
const advance = (advance_seconds: number) =>
  shop.post('/v1/test_helpers/clock', { advance_seconds });

test('removes sessions that nobody paid, and redacts the others', async () => {
  const unpaid = await create('unpaid');
  const [event] = await shop.eventsOf(unpaid.body.id);
  const mismatched = (await create()).body.id;
  const paid = (await create()).body.id;
  await shop.capture({ checkout_session: paid });
  for (const { body } of [unpaid, { body: { id: mismatched } }]) await shop.expire(body.id);
  await shop.capture({ checkout_session: mismatched, on_mismatch: 'record' });
  await keepFor(1);
  await advance(DAY - 60);
  expect((await read(`${SESSIONS}/${paid}`)).description).toBe(PLANT);
  const before: Reply['body'][] = (await read('/v1/events?order=asc&limit=100')).data;

  await advance(120);
  for (const path of [`${SESSIONS}/${unpaid.body.id}`, `/v1/events/${event.id}`])
    expect((await shop.get(path)).status).toBe(404);
  for (const id of [mismatched, paid])
    expect((await read(`${SESSIONS}/${id}`)).description).toBe(null);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
  const after: Reply['body'][] = (await read('/v1/events?order=asc&limit=100')).data;
  const left = before.filter(({ data }) => data.object.id !== unpaid.body.id).map(({ id }) => id);
  expect(after.slice(0, left.length).map(({ id }) => id)).toEqual(left);
  const replayed = await create('unpaid');
  expect([replayed.status, isReplay(replayed), replayed.body]).toEqual([
    201,
    true,
    redactedSession(unpaid.body),
  ]);
  expect(await shop.idsOf(SESSIONS)).toEqual([paid, mismatched]);
});

test('redacts a session whose bank transfer is on its way, and records its payment later', async () => {
  const made = await create();
  const page = service.url + pathIn(made.headers);
  await submit(`${page}/pay`);
  await submit(`${page}/pretend/transfer`);
  await shop.expire(made.body.id);
  await keepFor(1);
  await advance(1.5 * DAY);
  const { status, description } = await read(`${SESSIONS}/${made.body.id}`);
  expect([status, description]).toEqual(['expired', null]);
  await advance(DAY);
  const { data } = await read(`/v1/payments?checkout_session=${made.body.id}`);
  expect(data).toMatchObject([{ mismatch: 'session_expired' }]);
});

/** Makes a session that expired two days ago, in an organization that keeps details for one day. */
async function oldSession(): Promise<string> {
  const { id } = (await create()).body;
  await shop.expire(id);
  const past = `UPDATE checkout_sessions SET closed_at = now() - interval '2 days' WHERE id = $1`;
  await service.sql.query(past, [uuidOf(id)]);
  await keepFor(1);
  return id;
}

const sweep = () => service.application.get(SessionSweeper).forgetAll();
const pay = (id: string) => shop.record({ checkout_session: id, on_mismatch: 'record' });

test('refuses a payment that comes just as its session is removed', async () => {
  const id = await oldSession();
  const paid = await overtaken(
    service,
    ['DELETE FROM checkout_sessions WHERE id = $1', uuidOf(id)],
    () => pay(id),
  );
  expectError(paid, {
    status: 404,
    code: 'not_found',
    errors: [['checkout_session', 'invalid_value']],
  });
});

test('redacts a session instead of removing it, when a payment comes first', async () => {
  const id = await oldSession();
  const payer = await Holder.connect(service.databaseUrl);
  const columns = 'organization_id, mode, id, currency, amount, checkout_session_id, mismatch';
  const other = await shop.capture();
  await payer.hold(
    `INSERT INTO payments (${columns}) SELECT organization_id, mode, gen_random_uuid(), currency, amount, $2, 'session_expired'
      FROM payments WHERE id = $1`,
    [uuidOf(other), uuidOf(id)],
  );
  // The sweeper skips a locked session, and finds it the next time.
  await sweep();
  await payer.commit();
  await payer.end();
  await sweep();
  expect((await read(`${SESSIONS}/${id}`)).description).toBe(null);
});

test('redacts sessions of one organization whatever keeps those of another', async () => {
  const another = await Shop.open(service);
  for (const [kept, free] of [
    [shop, another],
    [another, shop],
  ] as const) {
    const paid = async (at: Shop) => {
      const { id } = (await at.post(SESSIONS, plantedSession('https://shop.example'))).body;
      const payment = await at.capture({ checkout_session: id });
      await keepDetails(service, at, 1);
      return { id, payment };
    };
    const [held, gone] = [await paid(kept), await paid(free)];
    await service.sql.query(
      `UPDATE checkout_sessions SET closed_at = now() - interval '2 days' WHERE NOT is_redacted`,
    );
    const holder = await Holder.connect(service.databaseUrl);
    await holder.hold('SELECT FROM payments WHERE id = $1 FOR UPDATE', [uuidOf(held.payment)]);
    const retention = () => service.application.get(SessionSweeper).forgetAll();
    await expect(retention()).rejects.toMatchObject({ code: '55P03' });
    const described = async (at: Shop, { id }: { id: string }) =>
      (await at.get(`${SESSIONS}/${id}`)).body.description;
    expect([await described(kept, held), await described(free, gone)]).toEqual([PLANT, null]);
    await holder.release();
    await holder.end();
    await retention();
    expect(await described(kept, held)).toBe(null);
  }
});
