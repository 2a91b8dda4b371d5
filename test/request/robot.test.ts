/**
 * A program that knows the description and the envelope follows the errors from an empty POST to a
 * 201.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { get, SMALLEST } from '../support/client.js';
import { Robot, type Start } from '../support/robot.js';
import { Shop, unknownId } from '../support/shop.js';

// biome-ignore lint/suspicious/noExplicitAny: the test reads members of a JSON document by name.
type Json = any;

const SESSIONS = '/v1/checkout_sessions';
const REFUNDS = '/v1/refunds';
const LEDGER_REFUNDS = '/ledger/v1/refunds';
const PAYMENTS = '/ledger/v1/payments';
const MAX_AMOUNT = 999_999_999_999;

const service = useService();
let shop: Shop;
let document: Json;

beforeAll(async () => {
  shop = await Shop.open(service);
  document = (await get(`${service.url}/openapi.json`, {})).body;
});
// The next steps name lists, and the robot has to find something in them: an organization for which
// the ledger may record a payment, and a payment that can be refunded.
beforeEach(async () => {
  await shop.propose((await shop.record()).body.id, 1);
});

/**
 * Expects that the robot creates a resource, and that the resource can be read at the address in
 * Location.
 */
async function expectCreated(path: string, start?: Start): Promise<number> {
  const key = path.startsWith('/ledger/') ? shop.ledgerKey : shop.key;
  const { attempts, reply } = await new Robot({ url: service.url, document, key }, start).create(
    path,
  );
  expect([reply.status, reply.body]).toEqual([
    201,
    expect.objectContaining({ id: expect.any(String) }),
  ]);
  const location = reply.headers.get('location');
  expect(location !== null).toBe('Location' in document.paths[path].post.responses[201].headers);
  if (location !== null)
    expect((await get(service.url + location, { key })).body).toEqual(reply.body);
  return attempts;
}

test.each([SESSIONS, PAYMENTS, REFUNDS, LEDGER_REFUNDS])(
  'the robot gets from an empty POST %s to a 201',
  async (path) => {
    expect(await expectCreated(path)).toBeGreaterThan(2);
  },
);

const MERCHANTS = ['/operator/v1/organizations', '/operator/v1/organizations/{id}/api_keys'];

test('the robot knows every operation that creates a resource', () => {
  const creating = Object.entries<{ post?: { responses: object } }>(document.paths).filter(
    ([, { post }]) => post && '201' in post.responses,
  );
  // A hold needs no body, an endpoint needs one URL, an organization a name, and its key a mode.
  // The robot has nothing to learn from these.
  const easy = [
    `${PAYMENTS}/{id}/holds`,
    '/v1/webhook_endpoints',
    '/ledger/v1/webhook_endpoints',
    ...MERCHANTS,
  ];
  expect(creating.map(([path]) => path).sort()).toEqual(
    [PAYMENTS, SESSIONS, REFUNDS, LEDGER_REFUNDS, ...easy].sort(),
  );
});

const price = { currency: 'eur', unit_amount: 1000, product_data: { name: 'Book', colour: 'red' } };
const WRONG_LINE = { quantity: 0, price_data: price, amount_subtotal: 9 };

const STARTS: readonly [name: string, path: string, start: () => Start | Promise<Start>][] = [
  [
    'wrong sums',
    SESSIONS,
    () => ({ body: { ...SMALLEST, amount: 7, amount_total: 8, line_items: [WRONG_LINE] } }),
  ],
  [
    'wrong types',
    SESSIONS,
    () => ({
      body: { currency: 1, line_items: 'none', ui_mode: 'popup', metadata: [], expires_at: 1 },
    }),
  ],
  [
    'wrong currencies',
    SESSIONS,
    () => ({
      body: { currency: 'xau', line_items: [{ price_data: { ...price, currency: null } }] },
    }),
  ],
  ['a price that its quantity makes too much', SESSIONS, tooManyTimesTooMuch],
  ['a discount on the order', SESSIONS, () => ({ body: { ...SMALLEST, amount_discount: 400 } })],
  ['a body that is no object', SESSIONS, () => ({ body: [] })],
  ['a body that is too large', SESSIONS, () => ({ body: { description: 'x'.repeat(256 * 1024) } })],
  [
    'another media type',
    SESSIONS,
    () => ({ headers: { 'content-type': 'text/plain' }, body: SMALLEST }),
  ],
  ['an encoding', SESSIONS, () => ({ headers: { 'content-encoding': 'gzip' }, body: SMALLEST })],
  ['a browser', SESSIONS, () => ({ headers: { origin: 'https://evil.example' }, body: SMALLEST })],
  ['an idempotency key that is taken', SESSIONS, takenKey],
  [
    'unknown fields',
    PAYMENTS,
    () => ({ body: { organisation: 'mine', amount: '12', currency: 'usd' } }),
  ],
  ['an unknown session', PAYMENTS, () => ({ body: { checkout_session: unknownId('cs_test') } })],
  ['another amount than the session asks for', PAYMENTS, anotherAmount],
  ['a session that is over', PAYMENTS, sessionThatIsOver],
  ['a reference that is taken', PAYMENTS, takenReference],
  ['an unknown payment', REFUNDS, () => ({ body: { payment: unknownId('pay_test'), amount: 1 } })],
  ['too much', REFUNDS, () => ({ body: { amount: MAX_AMOUNT } })],
  ['a payment with nothing left', REFUNDS, usedUpPayment],
];

async function tooManyTimesTooMuch(): Promise<Start> {
  const price_data = { ...SMALLEST.line_items[0]?.price_data, unit_amount: MAX_AMOUNT };
  return { body: { ...SMALLEST, line_items: [{ quantity: 7, price_data }] } };
}

async function takenKey(): Promise<Start> {
  const key = randomUUID();
  await shop.post(SESSIONS, SMALLEST, key);
  return { headers: { 'idempotency-key': key } };
}

async function anotherAmount(): Promise<Start> {
  const { id } = (await shop.createSession()).body;
  return {
    body: { organization: shop.organization, amount: 1, currency: 'eur', checkout_session: id },
  };
}

async function sessionThatIsOver(): Promise<Start> {
  const { id } = (await shop.createSession()).body;
  await shop.expire(id);
  return {
    body: { organization: shop.organization, amount: 1000, currency: 'usd', checkout_session: id },
  };
}

async function takenReference(): Promise<Start> {
  const reference = randomUUID();
  await shop.record({ reference });
  return { body: { organization: shop.organization, amount: 1, currency: 'usd', reference } };
}

async function usedUpPayment(): Promise<Start> {
  const payment = (await shop.record({ amount: 5 })).body.id;
  await shop.propose(payment, 5);
  return { body: { payment, amount: 1 } };
}

test.each(STARTS)('the robot gets from %s in POST %s to a 201', async (_, path, start) => {
  expect(await expectCreated(path, await start())).toBeGreaterThan(1);
});
