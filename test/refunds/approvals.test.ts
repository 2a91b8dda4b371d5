/**
 * A refund that waits for approval is seen in some places and not in others, is decided, and ends.
 * conformance/cases/rights.json has the answers to single requests.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { isReplay, post, type Reply } from '../support/client.js';
import { expectError, expectInvalid, readResource } from '../support/envelope.js';
import { growth, scrape } from '../support/metrics.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { ownedRefund, Shop } from '../support/shop.js';
import { createKey, createOperatorKey } from '../support/tenants.js';
import { committed } from '../support/units.js';

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

test('says who proposed a refund that needs no approval, and leaves its events as they were', async () => {
  const sent = {
    key: shop.key,
    body: { payment, amount: 1 },
    headers: { 'tillgate-actor': 'Ana of support' },
  };
  const { id } = (await post(`${shop.url}/v1/refunds`, sent)).body;
  const { proposed_by, ...approval } = await approvalOf(id);
  expect(proposed_by).toEqual({
    key: proposed_by.key,
    holder: proposed_by.key,
    actor: 'Ana of support',
  });
  const undecided = { decided_by: null, comment: null, expires_at: null, decided_at: null };
  expect(approval).toEqual({
    object: 'refund.approval',
    refund: id,
    payment,
    amount: 1,
    currency: 'usd',
    reference: null,
    description: null,
    state: 'not_needed',
    ...undecided,
  });
  expect(Object.keys((await shop.eventsOf(id))[0].data)).not.toContain('approval');
  expect((await approvalOf((await shop.recordRefund(payment)).body.id)).proposed_by).toBeNull();
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

test.each([
  ['Ana', 'ana'],
  ['José', 'Jose\u0301'],
  ['Ana María', 'Ana\u00a0MARÍA'],
  ['Straße', 'STRASSE'],
])('refuses %s as an approver by the name of %s', async (proposer, approver) => {
  const proposing = await holder(proposer, ['propose']);
  const deciding = await holder(approver, ['approve']);
  const { id } = (await proposing.propose(payment, 500)).body;
  for (const refused of [await deciding.approve(id, 500), await deciding.reject(id)])
    expect(refused.body.error).toMatchObject({
      code: 'second_person_required',
      param: 'Authorization',
    });
  expect((await approvalOf(id)).state).toBe('waiting');
  expect((await lead.approve(id, 500)).body.state).toBe('approved');
});

test('takes holders of keys from before holders were checked for one person', async () => {
  const { id } = (await (await holder('Ana', ['propose'])).propose(payment, 500)).body;
  const deciding = await holder('Ben', ['approve']);
  await service.sql.query(`UPDATE api_keys SET holder = 'A\u200bna ' WHERE holder = 'Ben'`);
  expect((await deciding.approve(id, 500)).body.error.code).toBe('second_person_required');
});

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

describe('a decision that is not allowed', () => {
  const decisions = (key: Shop, id: string) => [() => key.approve(id, 500), () => key.reject(id)];

  test('is refused to the holder who proposed, with a rotated key too', async () => {
    const both = await createKey(service, {
      organization: shop.organization,
      holder: 'bot',
      rights: ['approve'],
    });
    const keys = service.application.get(ManageApiKeys);
    const { items } = await keys.list(shop.organization);
    const old =
      items.find(({ state }) => state.holder === 'bot' && state.rights.includes('approve'))?.state
        .id ?? '';
    const { token } = await committed(service, (unit) => keys.rotate(unit, old));
    const id = await waiting();
    for (const decide of [both, token].flatMap((key) => decisions(shop.as(key), id))) {
      expectError(await decide(), {
        status: 422,
        code: 'second_person_required',
        errors: [['Authorization', 'invalid_value']],
        nextStep: readResource(`/v1/refunds/${id}`),
      });
    }
    expectInvalid(await lead.post(`/v1/refunds/${id}/reject`, { comment: 'x'.repeat(501) }), [
      'comment',
      'too_long',
    ]);
    expect((await approvalOf(id)).state).toBe('waiting');
  });

  test('leaves its idempotency key free for somebody who may decide', async () => {
    const id = await waiting();
    const own = shop.as(
      await createKey(service, { organization: shop.organization, holder: 'bot' }),
    );
    const approve = (as: Shop): Promise<Reply> =>
      as.post(`/v1/refunds/${id}/approve`, { amount: 500 }, 'approve-it');
    expect((await approve(own)).status).toBe(422);
    const approved = await approve(lead);
    expect([approved.status, isReplay(approved)]).toEqual([200, false]);
    expect(isReplay(await approve(lead))).toBe(true);
  });
});

test('lets a key with the right to approve propose refunds that wait for nobody', async () => {
  const both = await holder('both', ['propose', 'approve']);
  const { id } = (await both.propose(payment, 500)).body;
  expect((await approvalOf(id)).state).toBe('not_needed');
});

test('makes all refunds of an organization wait from the moment it says so', async () => {
  const key = await createOperatorKey(service);
  const change = (refund_approval: 'all' | 'keys') =>
    post(`${service.url}/operator/v1/organizations/${shop.organization}`, {
      key,
      body: { refund_approval },
    });
  expect((await approvalOf((await shop.propose(payment, 1)).body.id)).state).toBe('not_needed');
  await change('all');
  const { id } = (await shop.propose(payment, 500)).body;
  expect((await approvalOf(id)).state).toBe('waiting');
  expect((await shop.approve(id, 500)).body.error.code).toBe('second_person_required');
  expect((await lead.approve(id, 500)).body.state).toBe('approved');
  await change('keys');
  expect((await approvalOf((await shop.propose(payment, 1)).body.id)).state).toBe('not_needed');
});

test('answers a retry with the same refund, whoever sends it, which still waits', async () => {
  const [key, reference] = [randomUUID(), randomUUID()];
  const first = await bot.post('/v1/refunds', { payment, amount: 5, reference }, key);
  for (const again of [
    await bot.post('/v1/refunds', { payment, amount: 5, reference }, key),
    await shop.post('/v1/refunds', { payment, amount: 5, reference }),
  ])
    expect(again.body).toEqual(first.body);
  expect((await approvalOf(first.body.id)).state).toBe('waiting');
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
