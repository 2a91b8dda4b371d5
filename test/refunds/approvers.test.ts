/**
 * The keys of a proposer and of an approver, and the settings of their organization, say who
 * decides about a refund.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { useService, useShop } from '../kit/setup.js';
import { isReplay, post, type Reply } from '../support/client.js';
import { expectError, expectInvalid, readResource } from '../support/envelope.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';
import { createKey, createOperatorKey } from '../support/tenants.js';
import { committed } from '../support/units.js';

const service = useService();
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
