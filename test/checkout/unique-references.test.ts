/** One payable session for each reference, where an organization has unique_references. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce, isReplay, post, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { overtaken } from '../support/holder.js';
import { inRaces, atOnce as race } from '../support/races.js';
import { Shop, type Twin } from '../support/shop.js';
import { createOperatorKey } from '../support/tenants.js';

const PATH = '/v1/checkout_sessions';
const CREATES = 10;

const service = useService();
const other = useOther(service);
let twin: Twin;
let shop: Shop;

async function setUnique(organization: string, unique_references: boolean): Promise<Reply> {
  const key = await createOperatorKey(service);
  const path = `/operator/v1/organizations/${organization}`;
  return post(service.url + path, { key, body: { unique_references } });
}

beforeEach(async () => {
  twin = await Shop.openTwin(service);
  shop = twin.test;
  await setUnique(shop.organization, true);
});

const order = (reference: string) => ({ ...SMALLEST, metadata: { reference } });
const create = (reference: string, by = shop) => by.createSession(order(reference));
const openWith = async (reference: string, by = shop) =>
  (await by.get(`${PATH}?reference=${reference}&status=open`)).body.data;
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const ONE_OF_TEN = [201, ...Array(CREATES - 1).fill(422)];
/** Each second create goes to the other instance. */
const tenCreates = (reference: string, by = shop) =>
  atOnce(CREATES, (index) => {
    const at = index % 2 === 0 ? by : by.at(other);
    return untilDecided(() => create(reference, at));
  });

const endNow = (id: string) =>
  service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);
const typesOf = async (id: string, by = shop) =>
  (await by.eventsOf(id)).map(({ type }: { type: string }) => type.split('.').at(-1));

function expectInUse(refused: Reply, id: string): void {
  expectError(refused, {
    status: 422,
    code: 'reference_in_use',
    errors: [['metadata.reference', 'invalid_value']],
    nextStep: { type: 'use_existing_session', path: `${PATH}/${id}`, method: 'GET' },
  });
}

test('a second session is refused while the first is open, and when it is complete', async () => {
  const first = await create('order-1');
  expectInUse(await create('order-1'), first.body.id);
  await shop.capture({ amount: 1000, checkout_session: first.body.id });
  const refused = await create('order-1');
  expectInUse(refused, first.body.id);
  expect((await shop.get(refused.body.error.next_step.path)).body.status).toBe('complete');
});

test('an expired session frees its reference, swept or not', async () => {
  const [expired, overdue] = [(await create('order-2')).body.id, (await create('order-3')).body.id];
  await shop.expire(expired);
  await endNow(overdue);
  for (const reference of ['order-2', 'order-3']) {
    const next = await create(reference);
    expect(next.status).toBe(201);
    expect(await openWith(reference)).toMatchObject([{ id: next.body.id }]);
    expectInUse(await create(reference), next.body.id);
  }
  for (const id of [expired, overdue]) expect(await typesOf(id)).toEqual(['created', 'expired']);
});

test('a session frees its reference by the moved clock of test mode, and live mode stays', async () => {
  const [ended, live] = [(await create('order-4')).body.id, await create('order-4', twin.live)];
  await shop.post('/v1/test_helpers/clock', { advance_seconds: 25 * 3600 });
  expect((await create('order-4')).status).toBe(201);
  expect(await typesOf(ended)).toEqual(['created', 'expired']);
  expectInUse(await create('order-4', twin.live), live.body.id);
});

test('sessions without a reference, of the other mode and of other organizations are not concerned', async () => {
  const outsider = await Shop.open(service);
  await setUnique(outsider.organization, true);
  for (const by of [twin.test, twin.live, outsider])
    expect((await create('order-5', by)).status).toBe(201);
  for (const metadata of [{}, {}, { reference: '' }, { reference: '' }, { Reference: 'order-5' }])
    expect((await shop.createSession({ ...SMALLEST, metadata })).status).toBe(201);
});

test('an organization that has not switched it on makes as many as it likes', async () => {
  const plain = await Shop.open(service);
  for (const _ of [1, 2, 3]) expect((await create('order-6', plain)).status).toBe(201);
  expect(await openWith('order-6', plain)).toHaveLength(3);
});

test('a replay is the first answer, whatever became of the session, and a refusal stays under its key', async () => {
  const body = order('order-7');
  const first = await shop.post(PATH, body, 'first');
  expectInUse(await shop.post(PATH, body, 'second'), first.body.id);
  await shop.expire(first.body.id);
  const replay = await shop.post(PATH, body, 'first');
  expect([replay.status, replay.text, isReplay(replay)]).toEqual([201, first.text, true]);
  expectInUse(await shop.post(PATH, body, 'second'), first.body.id);
  expect((await shop.post(PATH, body, 'third')).status).toBe(201);
});

test('sessions that were open when it was switched on stay, and no further one is made', async () => {
  const late = await Shop.open(service);
  const made = [await create('order-8', late), await create('order-8', late)];
  const [older, newer] = made.map(({ body }) => body.id as string) as [string, string];
  await setUnique(late.organization, true);
  expectInUse(await create('order-8', late), newer);
  await late.expire(newer);
  expectInUse(await create('order-8', late), older);
  expect(await openWith('order-8', late)).toMatchObject([{ id: older }]);
  await endNow(older);
  const next = await create('order-8', late);
  expect(next.status).toBe(201);
  await setUnique(late.organization, false);
  expect((await create('order-8', late)).status).toBe(201);
  await setUnique(late.organization, true);
  expect((await create('order-8', late)).status).toBe(422);
});

test('a redacted session keeps its reference', async () => {
  const { id } = (await create('order-9')).body;
  await shop.capture({ amount: 1000, checkout_session: id });
  await shop.bare(`${PATH}/${id}/redact`);
  expectInUse(await create('order-9'), id);
});

test.each([null, 'true', 1])('unique_references cannot be %j', async (unique_references) => {
  const refused = await setUnique(shop.organization, unique_references as never);
  expect([refused.status, refused.body.error.param]).toEqual([400, 'unique_references']);
});

describe('at the same moment', () => {
  test('of ten creates at two instances one makes a session, in each mode and organization', async () => {
    const outsider = await Shop.open(service);
    await setUnique(outsider.organization, true);
    const shops = [twin.test, twin.live, outsider];
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(shops.map((by) => tenCreates(`race-${round}`, by)));
      for (const [at, by] of shops.entries()) {
        expect(statusesOf(replies[at] as Reply[])).toEqual(ONE_OF_TEN);
        expect(await openWith(`race-${round}`, by)).toHaveLength(1);
      }
    }
  });

  test('creates with the same key are all answered with the one session', async () => {
    const identical = (index: number) =>
      untilDecided(() =>
        (index % 2 === 0 ? shop : shop.at(other)).post(PATH, order('same'), 'one key'),
      );
    const replies = await atOnce(CREATES, identical);
    expect(statusesOf(replies)).toEqual(Array(CREATES).fill(201));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  test('an overdue session is expired once, and of ten creates one takes its place', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = (await create(`late-${round}`)).body;
      await endNow(id);
      expect(statusesOf(await tenCreates(`late-${round}`))).toEqual(ONE_OF_TEN);
      expect(await openWith(`late-${round}`)).toHaveLength(1);
      expect(await typesOf(id)).toEqual(['created', 'expired']);
    }
  });

  test('a session that expires or is paid meanwhile leaves one session at most that can be paid', async () => {
    await inRaces(async (number) => {
      const reference = `meanwhile-${number}`;
      const { id } = (await create(reference)).body;
      const ends =
        number % 2 === 0
          ? () => shop.expire(id)
          : () => shop.record({ amount: 1000, checkout_session: id });
      const creates = [shop, shop.at(other)].map((by) => () => create(reference, by));
      await race([...creates, ends], number);
      const all = (await shop.get(`${PATH}?reference=${reference}`)).body.data;
      const payable = all.filter(({ status }: { status: string }) => status !== 'expired');
      expect(payable.length).toBeLessThanOrEqual(1);
    });
  });

  test('a session whose payment is awaited meanwhile is not joined by another', async () => {
    await inRaces(async (number) => {
      const reference = `awaited-${number}`;
      const { id } = (await create(reference)).body;
      const until = Math.floor(Date.now() / 1000) + 3600;
      const wait = () =>
        shop.ledgerPost(`/ledger/v1/checkout_sessions/${id}/await_payment`, { until });
      const ends = () => endNow(id).then(() => create(reference, shop.at(other)));
      await race([wait, ends, () => create(reference)], number);
      expect((await openWith(reference)).length).toBeLessThanOrEqual(1);
    });
  });
});

test('an overdue session from before the setting that is postponed meanwhile keeps its reference', async () => {
  const late = await Shop.openTwin(service);
  const endIn = (time: string) =>
    `UPDATE checkout_sessions SET expires_at = now() + interval '${time}' WHERE id = $1`;
  for (const by of [late.test, late.live]) {
    await setUnique(by.organization, false);
    const { id } = (await create('order-10', by)).body;
    await setUnique(by.organization, true);
    await service.sql.query(endIn('1 second'), [uuidOf(id)]);
    // The session ends while its row is locked, so that no sweeper expires it first.
    const again = () => sleep(1_100).then(() => create('order-10', by));
    expectInUse(await overtaken(service, [endIn('1 hour'), uuidOf(id)], again), id);
    expect(await openWith('order-10', by)).toMatchObject([{ id }]);
  }
});

// The next test drops the index that the races above rely on, so it stays last.
test('ten creates make several sessions without checkout_sessions_unique_reference', async () => {
  await service.sql.query('DROP INDEX checkout_sessions_unique_reference');
  const made = await atOnce(5, async (round) => {
    await tenCreates(`proof-${round}`);
    return (await openWith(`proof-${round}`)).length;
  });
  expect(Math.max(...made)).toBeGreaterThan(1);
});
