/** Sessions that were closed longer ago than their organization keeps details. */
import { afterEach, expect, test } from '@jest/globals';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import { RetentionSweeper } from '../../src/modules/checkout/adapters/schedule/retention-sweeper.js';
import { OldSessions } from '../../src/modules/checkout/index.js';
import { uuidOf } from '../../src/shared/id.js';
import { isReplay, untilDecided } from '../support/client.js';
import { PLANT, plantedSession, redactedSession, tablesWithPlant } from '../support/planted.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';

const SESSIONS = '/v1/checkout_sessions';
const DAY = 86_400;

const service = useService({ config: { publicUrl: 'https://pay.example' } });
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const read = async (path: string) => (await shop.get(path)).body;
const create = (key?: string) => shop.post(SESSIONS, plantedSession('https://shop.example'), key);
const keepFor = (detailsRetentionDays: number) =>
  service.application.get(ManageOrganizations).change(shop.organization, { detailsRetentionDays });
const advance = (advance_seconds: number) => shop.post('/v1/test_helpers/clock', { advance_seconds });

test('sessions that nobody paid are removed whole, and the others redacted', async () => {
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
  const before = (await read('/v1/events?order=asc&limit=100')).data;

  await advance(120);
  for (const path of [`${SESSIONS}/${unpaid.body.id}`, `/v1/events/${event.id}`])
    expect((await shop.get(path)).status).toBe(404);
  for (const id of [mismatched, paid]) expect((await read(`${SESSIONS}/${id}`)).description).toBe(null);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
  const removed = ({ data }: { data: { object: { id: string } } }) => data.object.id === unpaid.body.id;
  const after = (await read('/v1/events?order=asc&limit=100')).data;
  const ids = (events: { id: string }[]) => events.map(({ id }) => id);
  const left = before.filter((one: never) => !removed(one));
  expect(ids(after).slice(0, left.length)).toEqual(ids(left));
  const replayed = await create('unpaid');
  expect([replayed.status, isReplay(replayed), replayed.body]).toEqual([201, true, redactedSession(unpaid.body)]);
  expect(await shop.idsOf(SESSIONS)).toEqual([paid, mismatched]);
});

test('a payment that comes as its session is removed is refused, or keeps the session', async () => {
  for (let race = 0; race < 20; race++) {
    const { id } = (await create()).body;
    await shop.expire(id);
    await service.sql.query(`UPDATE checkout_sessions SET closed_at = now() - interval '2 days' WHERE id = $1`, [
      uuidOf(id),
    ]);
    await keepFor(1);
    const pay = () => shop.record({ checkout_session: id, on_mismatch: 'record' });
    const sweep = service.application.get<RetentionSweeper>(OldSessions);
    const [paid] = await Promise.all([untilDecided(pay), sweep.sweepAll()]);
    expect((await shop.get(`${SESSIONS}/${id}`)).status).toBe(paid.status === 201 ? 200 : 404);
  }
});
