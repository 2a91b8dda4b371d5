/** Errors that a program can follow: it knows the description and the envelope, and gets from an empty POST to a 201. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get } from '../support/client.js';
import { Robot } from '../support/robot.js';
import { type Service, startService } from '../support/service.js';
import { Shop } from '../support/shop.js';

let service: Service;
let shop: Shop;
let robot: Robot;

beforeAll(async () => {
  service = await startService();
  shop = await Shop.open(service);
  // Something for the ledger to find: whose it is says for whom it may record a payment.
  await shop.propose((await shop.record()).body.id, 1);
  robot = new Robot(service.url, (await get(`${service.url}/openapi.json`, {})).body);
});
afterAll(() => service.close());

const keyFor = (path: string) => (path.startsWith('/ledger/') ? shop.ledgerKey : shop.key);

/** In this order: a refund needs the payment that the robot records as the ledger. */
test.each(['/v1/checkout_sessions', '/ledger/v1/payments', '/v1/refunds'])(
  'from an empty POST %s to a 201',
  async (path) => {
    const { attempts, reply } = await robot.create(path, keyFor(path));
    expect(reply).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect(attempts.length).toBeGreaterThan(2);
  },
);

const price = { currency: 'eur', unit_amount: 1000, product_data: { name: 'Book', colour: 'red' } };

test.each([
  [
    'wrong sums',
    '/v1/checkout_sessions',
    {
      currency: 'usd',
      amount: 7,
      amount_total: 8,
      line_items: [{ quantity: 0, price_data: price, amount_subtotal: 9 }],
    },
  ],
  ['wrong types', '/v1/checkout_sessions', { currency: 1, line_items: 'none', ui_mode: 'popup', metadata: [] }],
  [
    'wrong currencies',
    '/v1/checkout_sessions',
    { currency: 'xau', line_items: [{ price_data: { ...price, currency: null } }] },
  ],
  ['unknown fields', '/ledger/v1/payments', { organisation: 'mine', amount: '12', currency: 'usd' }],
  ['too much', '/v1/refunds', { amount: 999_999_999_999 }],
])('from %s in POST %s to a 201', async (_, path, body) => {
  await robot.create('/ledger/v1/payments', shop.ledgerKey);
  const { reply } = await robot.create(path, keyFor(path), body);
  expect(reply).toMatchObject({ status: 201, body: { id: expect.any(String) } });
});
