/**
 * A refund that waits for approval is seen in some places and not in others, is decided, and ends.
 * conformance/cases/rights.json has the answers to single requests.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { post } from '../support/client.js';
import { expectInvalid } from '../support/envelope.js';
import { growth, scrape } from '../support/metrics.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { ownedRefund, Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const DAY = 24 * 3600;

const service = useService();
const other = useOther(service);
/** The secret key of this shop belongs to the owner. */
const shop = useShop(service);
let bot: Shop;
let lead: Shop;
let payment: string;

const holder = async (name: string, rights: readonly ('propose' | 'approve')[]) =>
  shop.as(await createKey(service, { organization: shop.organization, holder: name, rights }));

beforeEach(async () => {
  bot = await holder('bot', ['propose']);
  lead = await holder('lead', ['approve']);
  payment = await shop.capture();
});

afterEach(() => expectBalanced(service));

const waiting = async (amount = 500): Promise<string> =>
  (await bot.propose(payment, amount)).body.id;
const approvalOf = async (id: string) => (await shop.get(`/v1/refunds/${id}/approval`)).body;
const keyOf = (name: string) => ({
  key: expect.stringMatching(/^key_/),
  holder: name,
  actor: null,
});
const SECONDS = expect.any(Number);

/** Returns the refund as the ledger has it, and whether it is in the list of refunds to pay out. */
async function ledgerHas(id: string) {
  const [all, pending] = ['?status=all', '?status=pending'].map((query) =>
    shop.ledgerGet(`/ledger/v1/refunds${query}&organization=${shop.organization}`),
  );
  const shown = (await all)?.body.data.find((refund: { id: string }) => refund.id === id);
  return { shown, isListed: JSON.stringify((await pending)?.body).includes(id) };
}

test('shows a waiting refund to everybody, and gives it to no worker', async () => {
  const { body: refund } = await bot.propose(payment, 500);
  const { id } = refund;
  expect((await shop.claim()).body.data).toEqual([]);
  const shown = { ...ownedRefund(shop.organization, refund), approval: 'waiting' };
  expect(await ledgerHas(id)).toEqual({ shown, isListed: false });
  expect((await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body).toEqual(shown);
  const [event] = await shop.eventsOf(id);
  const details = {
    reference: null,
    description: null,
    provider_reference: null,
    approval: 'waiting',
  };
  expect(event.data).toEqual({ object: refund, reason: null, ...details });
});

test('lists refunds that wait, until they are decided or canceled', async () => {
  const [first, second, third] = [await waiting(1), await waiting(2), await waiting(3)];
  const free = (await shop.propose(payment, 4)).body.id;
  const list = '/v1/refunds?approval=waiting';
  expect(await shop.idsOf(`${list}&limit=2`)).toEqual([third, second, first]);
  expect(await shop.idsOf(`${list}&payment=${payment}&status=pending`)).toEqual([
    third,
    second,
    first,
  ]);
  expect(await shop.idsOf(`${list}&status=canceled`)).toEqual([]);
  await lead.approve(first, 1);
  await bot.cancel(second);
  expect(await shop.idsOf(list)).toEqual([third]);
  expect(await shop.idsOf('/v1/refunds')).toEqual([free, third, second, first]);
  expectInvalid(await shop.get('/v1/refunds?approval=approved'), [
    'approval',
    'invalid_value',
    ['waiting'],
  ]);
  const { body } = await bot.post('/v1/refunds', { payment, amount: 5, reference: 'r' });
  expect(await shop.idsOf(`${list}&reference=r`)).toEqual([body.id]);
  expect(await shop.idsOf(`${list}&reference=other`)).toEqual([]);
});

test('pays out a refund that another holder approved like any other', async () => {
  const id = await waiting();
  const body = { amount: 500, comment: 'Seen the parcel.' };
  const approved = await post(`${lead.url}/v1/refunds/${id}/approve`, {
    key: lead.key,
    body,
    headers: { 'tillgate-actor': 'Ana' },
  });
  expect(approved.status).toBe(200);
  const { expires_at, proposed_by } = approved.body;
  const decided_by = { ...keyOf('lead'), actor: 'Ana' };
  const decision = {
    state: 'approved',
    decided_by,
    comment: 'Seen the parcel.',
    decided_at: SECONDS,
  };
  expect(approved.body).toEqual({
    object: 'refund.approval',
    refund: id,
    payment,
    amount: 500,
    currency: 'usd',
    reference: null,
    description: null,
    proposed_by,
    expires_at,
    ...decision,
  });
  for (const again of [await shop.approve(id, 500), await shop.at(other).approve(id, 500)])
    expect(again.body).toEqual(approved.body);
  expect((await shop.claim()).body.data).toMatchObject([
    { id, approval: 'approved', claim: { number: 1 } },
  ]);
  await shop.succeed(id);
  const events = await shop.eventsOf(id);
  const seen = events.map(({ type, sequence, data }: Event) => [type, sequence, data.approval]);
  expect(seen).toEqual([
    ['refund.created', 1, 'waiting'],
    ['refund.approved', 2, 'approved'],
    ['refund.succeeded', 3, 'approved'],
  ]);
});

test('shows an approver what is refunded, and why', async () => {
  const about = { reference: 'return-7', description: 'The parcel came back.' };
  const { id } = (await bot.post('/v1/refunds', { payment, amount: 500, ...about })).body;
  const shown = { refund: id, payment, amount: 500, currency: 'usd', ...about };
  expect((await lead.get(`/v1/refunds/${id}/approval`)).body).toMatchObject(shown);
  expect((await lead.approve(id, 500)).body).toMatchObject({ ...shown, state: 'approved' });
  expect(Object.keys((await shop.get(`/v1/refunds/${id}`)).body)).toHaveLength(7);
});

interface Event {
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

test('cancels a rejected refund, and says why', async () => {
  const id = await waiting();
  const rejected = await lead.post(`/v1/refunds/${id}/reject`, { comment: 'Twice the same.' });
  const decision = {
    state: 'rejected',
    decided_by: keyOf('lead'),
    comment: 'Twice the same.',
    decided_at: SECONDS,
  };
  expect(rejected.body).toEqual({ ...(await approvalOf(id)), ...decision });
  expect((await shop.reject(id)).body).toEqual(rejected.body);
  const [, canceled] = await shop.eventsOf(id);
  const reason = 'approval rejected';
  expect(canceled).toMatchObject({
    type: 'refund.canceled',
    sequence: 2,
    data: { reason, approval: 'rejected' },
  });
  expect((await ledgerHas(id)).shown).toMatchObject({
    status: 'canceled',
    reason,
    approval: 'rejected',
  });
});

test('expires an approval after 14 days of the clock of its mode', async () => {
  const id = await waiting();
  const advance = (seconds: number) =>
    shop.post('/v1/test_helpers/clock', { advance_seconds: seconds });
  await advance(14 * DAY - 60);
  expect((await approvalOf(id)).state).toBe('waiting');
  await advance(60);
  expect(await approvalOf(id)).toMatchObject({
    state: 'expired',
    decided_by: null,
    decided_at: null,
  });
  expect((await lead.approve(id, 500)).body.error.code).toBe('refund_not_pending');
  expect(await shop.amountsOf(payment)).toMatchObject({ pending: 0, left: 5000 });
  const [, canceled] = await shop.eventsOf(id);
  expect(canceled).toMatchObject({
    type: 'refund.canceled',
    data: { reason: 'approval expired', approval: 'expired' },
  });
  // A refund that is proposed now waits from now on.
  const { id: next, created } = (await bot.propose(payment, 500)).body;
  expect((await approvalOf(next)).expires_at).toBe(created + 14 * DAY);
});

test('says in every answer that the time is over, before the refund is canceled', async () => {
  const { id } = (await bot.post('/v1/refunds', { payment, amount: 500, reference: 'r' })).body;
  const list = '/v1/refunds?approval=waiting';
  const seen = async () => ({
    approval: (await approvalOf(id)).state,
    ledger: (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body.approval,
    ledgerList: (await ledgerHas(id)).shown.approval,
    listed: [...(await shop.idsOf(list)), ...(await shop.idsOf(`${list}&reference=r`))],
    decisions: [
      await lead.post(`/v1/refunds/${id}/approve`, { amount: 500 }, randomUUID()),
      await lead.reject(id),
    ].map(({ body }) => body.error?.code),
  });
  const over = {
    approval: 'expired',
    ledger: 'expired',
    ledgerList: 'expired',
    listed: [],
    decisions: ['refund_not_pending', 'refund_not_pending'],
  };
  await service.sql.query(
    `UPDATE refunds SET approval_expires_at = now() + interval '1 second' WHERE id = $1`,
    [uuidOf(id)],
  );
  await service.sql.query('BEGIN');
  // No job cancels a refund that is locked.
  const lock = 'SELECT FROM refunds WHERE organization_id = $1 AND id = $2 FOR UPDATE';
  await service.sql.query(lock, [shop.organization, id].map(uuidOf));
  expect([(await approvalOf(id)).state, await shop.idsOf(list)]).toEqual(['waiting', [id]]);
  await until(async () => (await approvalOf(id)).state !== 'waiting');
  expect(await seen()).toEqual(over);
  expect((await shop.get(`/v1/refunds/${id}`)).body.status).toBe('pending');
  expect(await shop.amountsOf(payment)).toMatchObject({ pending: 500 });
  await service.sql.query('ROLLBACK');
  await shop.post('/v1/test_helpers/clock', { advance_seconds: 1 });
  expect(await seen()).toEqual(over);
  expect((await shop.get(`/v1/refunds/${id}`)).body.status).toBe('canceled');
  expect(await shop.amountsOf(payment)).toMatchObject({ pending: 0 });
});

test('records and counts money that left without an approval', async () => {
  const before = await scrape(service);
  const paid = [await waiting(1), await waiting(2), await waiting(3)];
  await shop.succeed(paid[0] as string);
  await shop.post(`/v1/test_helpers/refunds/${paid[1]}/succeed`);
  await shop.recordRefund(payment, { amount: 3, provider_reference: 'p', reference: null });
  const counted = growth(before, await scrape(service), 'tillgate_refunds_paid_unapproved_total');
  expect(counted).toEqual({ '{mode="test"}': 2 });
  expect((await ledgerHas(paid[0] as string)).shown).toMatchObject({
    status: 'succeeded',
    approval: 'waiting',
  });
  expect((await lead.approve(paid[0] as string, 1)).body.error.code).toBe('refund_not_pending');
  const events = await shop.eventsOf(paid[0] as string);
  expect(events.map(({ type, data }: Event) => [type, data.approval])).toEqual([
    ['refund.created', 'waiting'],
    ['refund.succeeded', 'waiting'],
  ]);
});
