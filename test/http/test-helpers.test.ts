/** The test helpers simulate the customer and the ledger in test mode. They do not exist for a live key. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { post, send } from '../support/client.js';
import { fixRequest, listResources, readResource, refusal } from '../support/envelope.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { unknownId } from '../support/shop.js';

const HELPERS = '/v1/test_helpers';

const service = useService();
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const payPath = (session: string) => `${HELPERS}/checkout_sessions/${session}/pay`;
const open = async () => (await shop.createSession()).body;
const pay = (session: string, body?: object, idempotencyKey?: string) =>
  shop.post(payPath(session), body, idempotencyKey);

describe('paying a session', () => {
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
});

describe('deciding a refund', () => {
  const decide = (refund: string, decision: string, body?: object) =>
    shop.post(`${HELPERS}/refunds/${refund}/${decision}`, body);
  const proposed = async () => (await shop.propose((await pay((await open()).id)).body.id, 400)).body;

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
});
