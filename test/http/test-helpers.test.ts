/** The test helpers simulate the customer and the ledger in test mode. They do not exist for a live key. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isReplay, post, send } from '../support/client.js';
import { expectBalanced } from '../support/reconciled.js';
import { fixRequest, listResources, readResource, refusal } from '../support/refused-answer.js';
import { createLedgerKey, type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const HELPERS = '/v1/test_helpers';

let service: Service;
let shop: Shop;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
});

afterEach(() => expectBalanced(service));

afterAll(() => service.close());

const payPath = (session: string) => `${HELPERS}/checkout_sessions/${session}/pay`;
const open = async () => (await shop.createSession()).body;
const pay = (session: string, body?: object, idempotencyKey?: string) =>
  shop.post(payPath(session), body, idempotencyKey);
const read = async (session: string) => (await shop.get(`/v1/checkout_sessions/${session}`)).body;

describe('paying a session', () => {
  test('completes it, returns the payment, and records both events', async () => {
    const session = await open();
    const { status, body } = await pay(session.id);
    const none = { amount_refunded: 0, amount_pending_refund: 0, amount_on_hold: 0, amount_refundable: 1000 };
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^pay_test_/),
        object: 'payment',
        mode: 'test',
        amount: 1000,
        ...none,
        currency: 'usd',
        checkout_session: session.id,
        mismatch: null,
        created: expect.any(Number),
      },
    ]);
    const complete = { ...session, status: 'complete', payment_status: 'paid' };
    expect(await read(session.id)).toEqual(complete);
    expect((await shop.get(`/v1/payments/${body.id}`)).body).toEqual(body);
    const [, completed] = (await shop.get(`/v1/events?object=${session.id}&order=asc`)).body.data;
    expect([completed.type, completed.data.object]).toEqual(['checkout.session.completed', complete]);
    const [created] = (await shop.get(`/v1/events?object=${body.id}`)).body.data;
    expect([created.type, created.data.object]).toEqual(['payment.created', body]);
  });

  test.each([
    ['another amount', { amount: 999 }, 'amount'],
    ['another currency', { currency: 'EUR' }, 'currency'],
  ])('with %s is recorded, and the session stays open', async (_, body, mismatch) => {
    const session = await open();
    const paid = await pay(session.id, body);
    const facts = { amount: 1000, currency: 'usd', ...body, checkout_session: session.id, mismatch };
    expect([paid.status, paid.body]).toMatchObject([200, { ...facts, currency: facts.currency.toLowerCase() }]);
    expect(await read(session.id)).toEqual(session);
    const [event] = (await shop.get(`/v1/events?object=${paid.body.id}`)).body.data;
    expect([event.type, event.data.object]).toEqual(['payment.unmatched', paid.body]);
  });

  test('late, or a second time, is recorded too', async () => {
    const [late, twice] = [await open(), await open()];
    await shop.expire(late.id);
    expect((await pay(late.id)).body).toMatchObject({ amount: 1000, mismatch: 'session_expired' });
    await pay(twice.id);
    expect((await pay(twice.id)).body).toMatchObject({ amount: 1000, mismatch: 'session_complete' });
    expect((await read(late.id)).status).toBe('expired');
  });

  test('is done once for an idempotency key', async () => {
    const session = await open();
    const first = await pay(session.id, {}, 'pay-1');
    const again = await pay(session.id, {}, 'pay-1');
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect((await pay(session.id, { amount: 1 }, 'pay-1')).body.error.code).toBe('idempotency_key_reused');
    expect((await shop.get(`/v1/payments?checkout_session=${session.id}`)).body.data).toEqual([first.body]);
  });

  test('whose total is 0 needs an amount', async () => {
    const price = { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } };
    const free = (await shop.createSession({ currency: 'usd', line_items: [{ price_data: price }] })).body;
    const refused = await pay(free.id);
    const errors = [{ param: 'amount', code: 'required' }];
    expect([refused.status, refused.body]).toEqual([
      400,
      refusal('invalid_param', fixRequest('POST', payPath(free.id)), errors),
    ]);
    expect((await pay(free.id, { amount: 1 })).body).toMatchObject({ amount: 1, mismatch: 'amount' });
  });

  test.each([
    ['amount', 0, 'too_small'],
    ['currency', 'xau', 'invalid_value'],
    ['reference', 'mine', 'unknown_field'],
  ])('refuses %s %j', async (param, value, code) => {
    const { status, body } = await pay((await open()).id, { [param]: value });
    expect([status, body.error.errors]).toMatchObject([400, [{ param, code }]]);
  });
});

describe('deciding a refund', () => {
  const decide = (refund: string, decision: string, body?: object) =>
    shop.post(`${HELPERS}/refunds/${refund}/${decision}`, body);
  const proposed = async () => (await shop.propose((await pay((await open()).id)).body.id, 400)).body;

  test('as the ledger does: succeeded, returned, and repeated without a change', async () => {
    const refund = await proposed();
    const succeeded = await decide(refund.id, 'succeed');
    expect([succeeded.status, succeeded.body]).toEqual([200, { ...refund, status: 'succeeded' }]);
    expect((await decide(refund.id, 'succeed')).body).toEqual(succeeded.body);
    expect(await shop.amountsOf(refund.payment)).toEqual({ captured: 1000, refunded: 400, pending: 0, left: 600 });
    const returned = await decide(refund.id, 'return', { reason: 'account closed' });
    expect([returned.status, returned.body]).toEqual([200, { ...refund, status: 'failed' }]);
    expect(await shop.amountsOf(refund.payment)).toEqual({ captured: 1000, refunded: 0, pending: 0, left: 1000 });
    const events = (await shop.get(`/v1/events?object=${refund.id}&order=asc`)).body.data;
    expect(events.map(({ type, data }: { type: string; data: { reason: string } }) => [type, data.reason])).toEqual([
      ['refund.created', null],
      ['refund.succeeded', null],
      ['refund.failed', 'account closed'],
    ]);
  });

  test('failed, with the reason in its event', async () => {
    const refund = await proposed();
    const failed = await decide(refund.id, 'fail', { reason: 'insufficient_funds' });
    expect([failed.status, failed.body]).toEqual([200, { ...refund, status: 'failed' }]);
    const [event] = (await shop.get(`/v1/events?object=${refund.id}`)).body.data;
    expect(event.data).toEqual({
      object: failed.body,
      reason: 'insufficient_funds',
      reference: null,
      description: null,
      provider_reference: null,
    });
  });

  test("refuses what the ledger's API refuses", async () => {
    const refund = await proposed();
    const read = readResource(`/v1/refunds/${refund.id}`);
    const at = [{ param: 'id', code: 'invalid_value' }];
    expect((await decide(refund.id, 'return')).body).toEqual(refusal('refund_not_succeeded', read, at));
    await shop.claim({ limit: 100 });
    expect((await decide(refund.id, 'fail')).body.error.code).toBe('refund_claimed');
    expect((await decide(refund.id, 'fail', { claim: 1 })).body.status).toBe('failed');
    const settled = await decide(refund.id, 'succeed');
    expect([settled.status, settled.body]).toEqual([422, refusal('refund_not_pending', read, at)]);
  });
});

const ROUTES: [string, string, string][] = [
  ['checkout_sessions', 'pay', 'cs'],
  ['refunds', 'succeed', 're'],
  ['refunds', 'fail', 're'],
  ['refunds', 'return', 're'],
];

describe.each(ROUTES)('%s/{id}/%s', (resource, action, prefix) => {
  const pathTo = (id: string) => `${HELPERS}/${resource}/${id}/${action}`;

  test('does not exist for a live key, whatever else is wrong', async () => {
    const unknown = await post(`${service.url}/v1/nothing`, { key: shop.tenant.live, body: {} });
    for (const sent of [{ body: {} }, { body: '{', idempotencyKey: '' }, { headers: { 'content-type': 'text/xml' } }]) {
      for (const id of [unknownId(`${prefix}_live`), 'malformed']) {
        const answer = await send('POST', service.url + pathTo(id), { key: shop.tenant.live, ...sent });
        expect(answer.status).toBe(404);
        expect(answer.body.error).toEqual(unknown.body.error);
        expect(answer.body).toEqual(refusal('not_found', listResources('/v1/checkout_sessions'), []));
      }
    }
  });

  test('refuses ledger keys and requests without a key', async () => {
    const url = service.url + pathTo(unknownId(`${prefix}_test`));
    for (const key of [shop.ledgerKey, await createLedgerKey(service, 'live'), undefined]) {
      expect((await post(url, { key, body: {} })).body.error.code).toBe('invalid_api_key');
    }
  });

  test('finds no resources of other organizations or of live mode', async () => {
    const other = await Shop.open(service);
    const session = (await other.createSession()).body.id;
    const refund = (await other.propose((await other.record()).body.id, 1)).body.id;
    const live = await Shop.open(service, { mode: 'live' });
    const liveSession = (await live.createSession()).body.id;
    const foreign = resource === 'refunds' ? refund : session;
    const answer = await post(live.url + pathTo(liveSession), { key: live.tenant.test });
    expect(answer.status).toBe(resource === 'refunds' ? 400 : 404);
    for (const id of [foreign, unknownId(`${prefix}_test`), unknownId(`${prefix}_live`)]) {
      const { status, body } = await shop.post(pathTo(id), {});
      const errors = [{ param: 'id', code: 'invalid_value' }];
      expect([status, body.error]).toMatchObject([404, { code: 'not_found', errors }]);
    }
  });
});
