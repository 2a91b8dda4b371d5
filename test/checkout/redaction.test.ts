/**
 * After a redaction, the customer's details are nowhere any more, and everything else is as it was.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { isReplay, post, type Reply, untilDecided } from '../support/client.js';
import { pathIn, visit } from '../support/page.js';
import {
  answersWithPlant,
  PLANT,
  plantedSession,
  redactedSession,
  tablesWithPlant,
} from '../support/planted.js';
import { answer } from '../support/receiver.js';
import { expectBalanced } from '../support/reconciled.js';
import { useReceiver, useWebhooks } from '../support/setup.js';
import { createKey } from '../support/tenants.js';
import { deliver } from '../support/webhooks.js';

const SESSIONS = '/v1/checkout_sessions';

const { service } = useWebhooks({ config: { publicUrl: 'https://pay.example' } });
const shop = useShop(service);
const receiver = useReceiver(answer(500));

afterEach(() => expectBalanced(service));

const redact = (id: string, key?: string) => shop.post(`${SESSIONS}/${id}/redact`, undefined, key);
const read = async (path: string) => (await shop.get(path)).body;
const create = (key?: string) => shop.post(SESSIONS, plantedSession(receiver.url), key);

/**
 * Makes a paid session with everything that can be said about it, and keeps the keys of the writes.
 */
async function paidSession() {
  const endpoint = await shop.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
  const made = await create('create');
  const session: string = made.body.id;
  const path = `/ledger${SESSIONS}/${session}/payment_url`;
  await shop.ledgerPost(path, { payment_url: `https://psp.example/${PLANT}` });
  const payment = await shop.capture({ checkout_session: session });
  const described = { payment, amount: 100, description: PLANT };
  const [failed, pending] = [
    await shop.post('/v1/refunds', described),
    await shop.post('/v1/refunds', described),
  ];
  const fail = `/ledger/v1/refunds/${failed.body.id}/fail`;
  await shop.ledgerPost(fail, { reason: PLANT }, 'fail');
  const propose = shop.as(await createKey(service, { ...shop.tenant, rights: ['propose'] }));
  const decided = (await propose.post('/v1/refunds', described)).body.id;
  const approve = () =>
    shop.post(`/v1/refunds/${decided}/approve`, { amount: 100, comment: PLANT }, 'approve');
  await approve();
  const hold = await shop.ledgerPost(
    `/ledger/v1/payments/${payment}/holds`,
    { amount: 1, reason: PLANT },
    'hold',
  );
  const [created] = await shop.eventsOf(session);
  await shop.post(`/v1/events/${created.id}/resend`, {}, 'resend');
  await deliver(service);
  const refunds = [failed.body.id, pending.body.id, decided];
  const ids = [session, payment, ...refunds, hold.body.id, endpoint.body.id];
  return {
    made,
    session,
    payment,
    failed: failed.body.id,
    pending: pending.body.id,
    fail,
    approve,
    created: created.id,
    ids,
  };
}

describe('a paid session with refunds, holds and webhooks that are still due', () => {
  test('loses its details everywhere, and keeps its keys, its sums and the order of its events', async () => {
    const { made, session, payment, failed, pending, fail, approve, created, ids } =
      await paidSession();
    const before: Reply['body'][] = (await read('/v1/events?order=asc&limit=100')).data;
    const all = [...ids, ...before.map(({ id }) => id)];
    const held = [
      'checkout_pages',
      'checkout_sessions',
      'events',
      'idempotency_keys',
      'payment_holds',
      'payments',
    ];
    expect(await tablesWithPlant(service.sql)).toEqual([...held, 'refunds', 'webhook_deliveries']);
    expect((await answersWithPlant(shop, all)).length).toBeGreaterThan(10);
    const paid = await read(`${SESSIONS}/${session}`);
    const sums = await shop.amountsOf(payment);

    const answered = await redact(session, 'redact');
    expect([answered.status, answered.body]).toEqual([200, redactedSession(paid)]);
    expect(await read(`${SESSIONS}/${session}`)).toEqual(redactedSession(paid));
    expect(await tablesWithPlant(service.sql, service.databaseUrl)).toEqual([]);
    expect(await answersWithPlant(shop, all)).toEqual([]);
    expect(await shop.amountsOf(payment)).toEqual(sums);
    expect((await shop.ledgerGet(`/ledger/v1/refunds/${pending}`)).body).toMatchObject({
      description: null,
      reason: null,
    });

    const replayed = await create('create');
    expect([replayed.status, isReplay(replayed), replayed.body]).toEqual([
      201,
      true,
      redactedSession(made.body),
    ]);
    expect(replayed.text).toBe(JSON.stringify(redactedSession(made.body)));
    const failedAgain = await shop.ledgerPost(fail, { reason: PLANT }, 'fail');
    expect(isReplay(failedAgain)).toBe(true);
    expect(failedAgain.body).toMatchObject({
      id: failed,
      status: 'failed',
      description: null,
      reason: null,
    });
    const approved = await approve();
    expect([isReplay(approved), approved.body]).toMatchObject([
      true,
      { state: 'approved', comment: null },
    ]);
    const resent = await shop.post(`/v1/events/${created}/resend`, {}, 'resend');
    expect([isReplay(resent), resent.body.data.object]).toEqual([true, redactedSession(made.body)]);

    const after: Reply['body'][] = (await read('/v1/events?order=asc&limit=100')).data;
    const place = ({ id, type, sequence }: Reply['body']) => [id, type, sequence];
    expect(after.slice(0, -1).map(place)).toEqual(before.map(place));
    const data = { object: redactedSession(paid), reason: null };
    expect(after.at(-1)).toMatchObject({ type: 'checkout.session.redacted', sequence: 3, data });
    expect((await read(`/v1/events?order=asc&cursor=${before.at(-1).id}`)).data).toEqual([
      after.at(-1),
    ]);

    expect((await redact(session, 'redact')).text).toBe(answered.text);
    expect((await shop.eventsOf(session)).length).toBe(3);
    expect((await visit(service.url + pathIn(made.headers))).status).toBe(410);

    receiver.received.length = 0;
    receiver.behave(answer(204));
    for (const { id } of before)
      await post(`${service.url}/v1/events/${id}/resend`, { key: shop.key });
    await deliver(service);
    expect(receiver.received.length).toBeGreaterThanOrEqual(before.length);
    expect(receiver.received.filter(({ text, path }) => (text + path).includes(PLANT))).toEqual([]);
  });

  test('loses texts about its refunds that came later, when it is redacted again', async () => {
    const { session, payment } = await paidSession();
    await redact(session);
    await shop.post('/v1/refunds', { payment, amount: 100, description: PLANT });
    await redact(session);
    expect(await tablesWithPlant(service.sql)).toEqual([]);
    expect((await shop.eventsOf(session)).length).toBe(3);
  });

  test('is redacted once, whatever else is asked at the same time', async () => {
    const { session, payment, pending } = await paidSession();
    const works = [
      () => redact(session),
      () => redact(session),
      () => shop.post('/v1/refunds', { payment, amount: 100, description: PLANT }),
      () => shop.fail(pending, { reason: PLANT }),
      () => shop.hold(payment, { amount: 1, reason: PLANT }),
    ];
    const statuses = (await Promise.all(works.map(untilDecided))).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 201, 200, 201]);
    expect((await shop.eventsOf(session)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    await redact(session);
    expect(await tablesWithPlant(service.sql)).toEqual([]);
  });
});

test('expires an overdue session before it redacts it', async () => {
  const { id } = (await create()).body;
  await service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [
    uuidOf(id),
  ]);
  const { status, body } = await redact(id);
  expect([status, body]).toEqual([200, { ...redactedSession(body), status: 'expired' }]);
  const types = ['created', 'expired', 'redacted'].map((end, index) => [
    `checkout.session.${end}`,
    index + 1,
  ]);
  expect((await shop.eventsOf(id)).map(({ type, sequence }) => [type, sequence])).toEqual(types);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});
