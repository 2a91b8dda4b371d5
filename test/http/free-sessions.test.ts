/** A session whose total is 0 completes without a payment. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const FREE = {
  currency: 'usd',
  line_items: [{ price_data: { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } } }],
};

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

const complete = (id: string) => shop.bare(`/v1/checkout_sessions/${id}/complete`);

async function expectRefused(id: string) {
  const refused = await complete(id);
  const next = readResource(`/v1/checkout_sessions/${id}`);
  const expected = refusal('payment_required', next, [{ param: 'id', code: 'invalid_value' }]);
  expect([refused.status, refused.body]).toEqual([422, expected]);
}

test('is completed without a payment, and records its event', async () => {
  const session = (await shop.createSession(FREE)).body;
  expect(session).toMatchObject({ status: 'open', payment_status: 'no_payment_required', amount_total: 0 });
  const completed = await complete(session.id);
  expect([completed.status, completed.body]).toEqual([200, { ...session, status: 'complete' }]);
  expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body).toEqual(completed.body);
  const events = (await shop.get(`/v1/events?object=${session.id}&order=asc`)).body.data;
  expect(events.map(({ type, sequence, data }: Record<string, unknown>) => [type, sequence, data])).toEqual([
    ['checkout.session.created', 1, { object: session, reason: null }],
    ['checkout.session.completed', 2, { object: completed.body, reason: null }],
  ]);
  await expectRefused(session.id);
});

test('any other session needs a payment', async () => {
  await expectRefused((await shop.createSession()).body.id);
  const expired = (await shop.createSession(FREE)).body.id;
  await shop.expire(expired);
  await expectRefused(expired);
  const late = (await shop.createSession(FREE)).body.id;
  await service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(late)]);
  await expectRefused(late);
  expect((await complete(unknownId('cs_test'))).status).toBe(404);
});

test('honours an idempotency key, and is either completed or expired', async () => {
  const { id } = (await shop.createSession(FREE)).body;
  const send = () => shop.post(`/v1/checkout_sessions/${id}/complete`, {}, 'complete-1');
  const [first, again] = [await send(), await send()];
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
  for (let race = 0; race < 20; race++) {
    const { id: contested } = (await shop.createSession(FREE)).body;
    const answers = await Promise.all([complete(contested), shop.expire(contested)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  }
});
