import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ORGANIZATION_ID } from '../../src/shared/id.js';
import { CURRENCIES } from '../../src/shared/money.js';
import { post, SMALLEST, send } from '../support/client.js';
import { expectBalanced } from '../support/reconciled.js';
import { fixRequest, listResources, readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { owned, Shop, unknownId } from '../support/shop.js';

const PATH = '/ledger/v1/payments';
const fix = fixRequest('POST', PATH);

let service: Service;
let shop: Shop;
let live: Shop;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
  live = await Shop.open(service, { mode: 'live' });
});

afterAll(() => service.close());

async function paymentsOf({ organization }: Shop): Promise<number> {
  const { rows } = await service.sql.query('SELECT organization_id AS id FROM payments');
  const { idOf } = await import('../../src/shared/id.js');
  return rows.filter(({ id }) => idOf(ORGANIZATION_ID, id) === organization).length;
}

function payment(facts: Readonly<Record<string, unknown>> = {}) {
  return {
    id: expect.stringMatching(/^pay_test_[0-9a-z]{26}$/),
    object: 'payment',
    organization: shop.organization,
    mode: 'test',
    amount: 5000,
    amount_refunded: 0,
    amount_pending_refund: 0,
    amount_on_hold: 0,
    amount_refundable: 5000,
    currency: 'usd',
    checkout_session: null,
    mismatch: null,
    created: expect.any(Number),
    reference: null,
    ...facts,
  };
}

test('records a payment without a session', async () => {
  const before = Math.floor(Date.now() / 1000);
  const recorded = await shop.record();
  expect(recorded.status).toBe(201);
  expect(recorded.headers.get('location')).toBe(`/ledger/v1/payments/${recorded.body.id}`);
  expect(recorded.body).toEqual(payment());
  expect(Object.keys(recorded.body)).toEqual(Object.keys(payment()));
  expect(recorded.body.created).toBeGreaterThanOrEqual(before);
  expect(recorded.body.created).toBeLessThanOrEqual(Date.now() / 1000);
});

test('records a payment for a session, which is then complete and paid', async () => {
  const session = (await shop.createSession()).body;
  const recorded = await shop.record({ amount: 1000, checkout_session: session.id });
  expect(recorded.status).toBe(201);
  expect(recorded.body).toEqual(payment({ amount: 1000, amount_refundable: 1000, checkout_session: session.id }));
  const read = await shop.get(`/v1/checkout_sessions/${session.id}`);
  expect(read.body).toEqual({ ...session, status: 'complete', payment_status: 'paid' });
});

test('the merchant reads the same payment, without the organization', async () => {
  const { organization, reference, ...facts } = (await shop.record()).body;
  expect((await shop.get(`/v1/payments/${facts.id}`)).body).toEqual(facts);
  expect([organization, reference]).toEqual([shop.organization, null]);
});

test('accepts a currency in any case, in the mode of the ledger key', async () => {
  const recorded = await live.record({ currency: 'JpY' });
  const id = expect.stringMatching(/^pay_live_/);
  expect(recorded.body).toEqual({ ...payment({ currency: 'jpy', mode: 'live', id }), organization: live.organization });
});

const required = (param: string) => ({ param, code: 'required' });
const WRONG: [string, object, { param: string; code: string; allowed?: readonly string[] }[]][] = [
  ['a missing organization', { organization: undefined }, [required('organization')]],
  ['a missing amount', { amount: undefined }, [required('amount')]],
  ['a missing currency', { currency: undefined }, [{ ...required('currency'), allowed: CURRENCIES }]],
  ['an amount of nothing', { amount: 0 }, [{ param: 'amount', code: 'too_small' }]],
  ['an amount beyond the limit', { amount: 1_000_000_000_000 }, [{ param: 'amount', code: 'too_large' }]],
  ['an amount in text', { amount: '5000' }, [{ param: 'amount', code: 'invalid_type' }]],
  ['a fraction', { amount: 50.5 }, [{ param: 'amount', code: 'invalid_type' }]],
  ['gold', { currency: 'xau' }, [{ param: 'currency', code: 'invalid_value', allowed: CURRENCIES }]],
  ['another kind of id', { organization: unknownId('evt') }, [{ param: 'organization', code: 'invalid_format' }]],
  ['no id at all', { checkout_session: 'cs_1' }, [{ param: 'checkout_session', code: 'invalid_format' }]],
  ['an empty reference', { reference: '' }, [{ param: 'reference', code: 'invalid_format' }]],
  ['a reference with a space', { reference: 'a b' }, [{ param: 'reference', code: 'invalid_format' }]],
  ['a reference beyond ASCII', { reference: 'ü' }, [{ param: 'reference', code: 'invalid_format' }]],
  ['a reference too long', { reference: 'r'.repeat(256) }, [{ param: 'reference', code: 'too_long' }]],
  ['a mode', { mode: 'live' }, [{ param: 'mode', code: 'unknown_field' }]],
];

test.each(WRONG)('refuses %s', async (_, change, errors) => {
  const refused = await shop.record(change as Record<string, unknown>);
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual(refusal('invalid_param', fix, errors));
});

test('reports everything that is wrong at once', async () => {
  const refused = await shop.record({ organization: undefined, amount: -1, reference: 7 });
  const wrong = refused.body.error.errors.map(({ param, code }: { param: string; code: string }) => [param, code]);
  expect(wrong.sort()).toEqual([
    ['amount', 'too_small'],
    ['organization', 'required'],
    ['reference', 'invalid_type'],
  ]);
});

test('takes a reference of 255 characters', async () => {
  expect((await shop.record({ reference: '~'.repeat(255) })).status).toBe(201);
});

test('requires an idempotency key', async () => {
  const body = { organization: shop.organization, amount: 1, currency: 'usd' };
  const refused = await send('POST', `${service.url}${PATH}`, { key: shop.ledgerKey, body });
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual(refusal('invalid_param', fix, [{ param: 'Idempotency-Key', code: 'required' }]));
});

describe('refuses, by what is known,', () => {
  const missing = (param: string) =>
    refusal('not_found', listResources('/ledger/v1/payments'), [{ param, code: 'invalid_value' }]);

  test('an unknown organization', async () => {
    const refused = await shop.record({ organization: unknownId('org') });
    expect(refused.status).toBe(404);
    expect(refused.body).toEqual(missing('organization'));
  });

  test('a session that is unknown, of another organization, or of the other mode, with the same error', async () => {
    const foreign = (await (await Shop.open(service)).createSession()).body.id;
    const own = { key: shop.tenant.live, body: SMALLEST };
    const otherMode = (await post(`${service.url}/v1/checkout_sessions`, own)).body.id;
    for (const session of [unknownId('cs_test'), unknownId('cs_live'), foreign, otherMode]) {
      const refused = await shop.record({ amount: 1000, checkout_session: session });
      expect(refused.status).toBe(404);
      expect(refused.body).toEqual(missing('checkout_session'));
    }
  });

  test('a session that is complete, or expired', async () => {
    const [complete, expired] = [(await shop.createSession()).body.id, (await shop.createSession()).body.id];
    await shop.record({ amount: 1000, checkout_session: complete });
    await shop.expire(expired);
    for (const session of [complete, expired]) {
      const refused = await shop.record({ amount: 1000, checkout_session: session });
      expect(refused.status).toBe(422);
      const errors = [{ param: 'checkout_session', code: 'invalid_value' }];
      const next = readResource(`/ledger/v1/checkout_sessions/${session}?organization=${shop.organization}`);
      expect((await shop.ledgerGet(next.path)).body).toMatchObject({ id: session, organization: shop.organization });
      expect(refused.body).toEqual(refusal('session_not_open', next, errors));
    }
    expect(await paymentsOf(shop)).toBe(1);
  });

  const wrongAmount = { param: 'amount', code: 'amount_mismatch', allowed: ['1000'] };
  const wrongCurrency = { param: 'currency', code: 'currency_mismatch', allowed: ['usd'] };

  test.each([
    ['too little', { amount: 999 }, [wrongAmount]],
    ['too much', { amount: 1001 }, [wrongAmount]],
    ['another currency', { amount: 1000, currency: 'eur' }, [wrongCurrency]],
    ['both', { amount: 1, currency: 'jpy' }, [wrongAmount, wrongCurrency]],
  ])('%s for a session, which stays open', async (_, facts, errors) => {
    const session = (await shop.createSession()).body;
    const refused = await shop.record({ ...facts, checkout_session: session.id });
    expect(refused.status).toBe(422);
    const next = readResource(`/ledger/v1/checkout_sessions/${session.id}?organization=${shop.organization}`);
    expect((await shop.ledgerGet(next.path)).body).toEqual(owned(shop.organization, session));
    expect(refused.body).toEqual(refusal('payment_session_mismatch', next, errors));
    expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body).toEqual(session);
    expect(await paymentsOf(shop)).toBe(0);
  });
});

test('a refusal is stored for its idempotency key, whatever happens to the session later', async () => {
  const session = (await shop.createSession()).body.id;
  const key = randomUUID();
  const facts = { amount: 1, checkout_session: session };
  const refused = await shop.record(facts, key);
  await shop.record({ amount: 1000, checkout_session: session });
  const again = await shop.record(facts, key);
  expect([again.status, again.text]).toEqual([422, refused.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await expectBalanced(service);
});
