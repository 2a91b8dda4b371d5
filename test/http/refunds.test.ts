import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { idKind, newId } from '../../src/shared/id.js';
import { get, post, type Reply } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { capture, createTenant, type Service, startService, type Tenant } from '../support/service.js';

let service: Service;
let tenant: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
  stranger = await createTenant(service);
});

afterAll(() => service.close());

const propose = (body: unknown, key = tenant.test): Promise<Reply> => post(`${service.url}/v1/refunds`, { key, body });
const read = (path: string, key = tenant.test): Promise<Reply> => get(service.url + path, { key });

const REFUND_ID = /^re_test_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

function expectExceeds(reply: Reply, left: number): void {
  expectError(reply, {
    status: 422,
    code: 'refund_exceeds_remaining',
    errors: [['amount', 'too_large', [String(left)]]],
    nextStep: { type: 'lower_amount', path: '/v1/refunds', method: 'POST' },
  });
}

function expectMalformed(reply: Reply, param: string, code: string): void {
  expectError(reply, {
    status: 400,
    code: 'invalid_param',
    errors: [[param, code]],
    nextStep: { type: 'fix_request', path: '/v1/refunds', method: 'POST' },
  });
}

test('proposes a refund and reads the same one', async () => {
  const payment = await capture(service, tenant, { amount: 5000, currency: 'eur' });
  const before = Math.floor(Date.now() / 1000);
  const proposed = await propose({ payment, amount: 1200 });
  expect(proposed.status).toBe(201);
  expect(proposed.body).toEqual({
    id: expect.stringMatching(REFUND_ID),
    object: 'refund',
    amount: 1200,
    currency: 'eur',
    status: 'pending',
    payment,
    created: expect.any(Number),
  });
  const fields = ['id', 'object', 'amount', 'currency', 'status', 'payment', 'created'];
  expect(Object.keys(proposed.body)).toEqual(fields);
  expect(proposed.body.created).toBeGreaterThanOrEqual(before);
  expect(proposed.body.created).toBeLessThanOrEqual(Date.now() / 1000);
  expect(proposed.headers.get('location')).toBe(`/v1/refunds/${proposed.body.id}`);
  expect(proposed.headers.get('idempotent-replayed')).toBeNull();
  const found = await read(`/v1/refunds/${proposed.body.id}`);
  expect([found.status, found.text]).toEqual([200, proposed.text]);
});

test('the payment shows the amounts of proposals and what is left', async () => {
  const payment = await capture(service, tenant, { amount: 5000 });
  const untouched = {
    id: payment,
    object: 'payment',
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
  };
  expect((await read(`/v1/payments/${payment}`)).body).toEqual(untouched);
  await propose({ payment, amount: 1200 });
  await propose({ payment, amount: 300 });
  const held = await read(`/v1/payments/${payment}`);
  expect([held.status, held.body]).toEqual([
    200,
    { ...untouched, amount_pending_refund: 1500, amount_refundable: 3500 },
  ]);
  expect(Object.keys(held.body)).toEqual(Object.keys(untouched));
});

test('writes the refund, its event, its stored response and the reserved amount, and nothing else', async () => {
  const payment = await capture(service, tenant, { amount: 5000 });
  const before = await contents();
  const { body } = await propose({ payment, amount: 1200 });
  const after = await contents();
  const changed = Object.keys(after).filter((table) => !isSame(after[table], before[table]));
  expect(changed.sort()).toEqual(['events', 'idempotency_keys', 'payments', 'refunds']);
  expect(added('refunds')).toEqual([expect.objectContaining({ amount: 1200, status: 'pending' })]);
  expect(added('idempotency_keys')).toEqual([expect.objectContaining({ body: JSON.stringify(body) })]);
  expect(added('payments')).toEqual([
    expect.objectContaining({ amount: 5000, amount_refunded: 0, amount_pending_refund: 1200 }),
  ]);

  function added(table: string): unknown[] {
    return (after[table] ?? []).filter((row) => !before[table]?.some((old) => isSame(old, row)));
  }
});

const NO_SUCH_PAYMENT = {
  unknown: async () => newId(PAYMENT_ID, Date.now(), 'test'),
  'another organization’s': () => capture(service, stranger, { amount: 100 }),
  'of the other mode': () => capture(service, tenant, { amount: 100, mode: 'live' }),
  'of the other mode, unknown': async () => newId(PAYMENT_ID, Date.now(), 'live'),
};

test.each(Object.entries(NO_SUCH_PAYMENT))(
  'refuses a payment that is %s, always with the same bytes',
  async (_, make) => {
    const payment = await make();
    const refused = await propose({ payment, amount: 1 });
    expectError(refused, {
      status: 404,
      code: 'not_found',
      errors: [['payment', 'invalid_value']],
      nextStep: { type: 'list_resources', path: '/v1/payments', method: 'GET' },
    });
    const unknown = await propose({ payment: newId(PAYMENT_ID, Date.now(), 'test'), amount: 1 });
    expect(refused.text.replace(refused.body.request_id, '')).toBe(unknown.text.replace(unknown.body.request_id, ''));
  },
);

test('refuses more than is left and says how much that is', async () => {
  const payment = await capture(service, tenant, { amount: 5000 });
  expectExceeds(await propose({ payment, amount: 5001 }), 5000);
  await propose({ payment, amount: 4000 });
  expectExceeds(await propose({ payment, amount: 1001 }), 1000);
  expectExceeds(await propose({ payment, amount: 999_999_999_999 }), 1000);
  expect((await propose({ payment, amount: 1000 })).status).toBe(201);
});

test('refuses any amount when nothing is left', async () => {
  const payment = await capture(service, tenant, { amount: 700 });
  await propose({ payment, amount: 700 });
  const refused = await propose({ payment, amount: 1 });
  expectError(refused, {
    status: 422,
    code: 'payment_not_refundable',
    errors: [['payment', 'invalid_value']],
    nextStep: { type: 'read_resource', path: `/v1/payments/${payment}`, method: 'GET' },
  });
  expect((await read(refused.body.error.next_step.path)).body.amount_refundable).toBe(0);
});

const WRONG_AMOUNTS = [
  { amount: undefined, code: 'required' },
  { amount: null, code: 'invalid_type' },
  { amount: '100', code: 'invalid_type' },
  { amount: true, code: 'invalid_type' },
  { amount: [100], code: 'invalid_type' },
  { amount: { value: 100 }, code: 'invalid_type' },
  { amount: 1.5, code: 'invalid_type' },
  { amount: 0, code: 'too_small' },
  { amount: -1, code: 'too_small' },
  { amount: 1_000_000_000_000, code: 'too_large' },
  { amount: Number.MAX_SAFE_INTEGER + 1, code: 'too_large' },
];

test.each(WRONG_AMOUNTS)('refuses the amount $amount: $code', async ({ amount, code }) => {
  const payment = await capture(service, tenant, { amount: 5000 });
  expectMalformed(await propose({ payment, amount }), 'amount', code);
});

test('takes the smallest and the largest amount', async () => {
  const payment = await capture(service, tenant, { amount: 999_999_999_999 });
  expect((await propose({ payment, amount: 1 })).status).toBe(201);
  expect((await propose({ payment, amount: 999_999_999_998 })).status).toBe(201);
});

const SUFFIX = '01kaxj2b3cedf9gh0jkmnpqrst';
const MALFORMED_PAYMENTS = [
  { payment: undefined, code: 'required' },
  { payment: null, code: 'invalid_type' },
  { payment: 1, code: 'invalid_type' },
  { payment: ['pay_test_'], code: 'invalid_type' },
  ...['', 'pay', `pay_${SUFFIX}`, `cs_test_${SUFFIX}`, `re_test_${SUFFIX}`, `PAY_TEST_${SUFFIX}`].map(malformed),
  ...[`pay_prod_${SUFFIX}`, `pay_test_${SUFFIX}0`, `pay_test_8${SUFFIX.slice(1)}`, `pay_test_${SUFFIX}\n`].map(
    malformed,
  ),
  ...[`pay_test_${SUFFIX.replace('b', 'l')}`, `pay_test_${SUFFIX.toUpperCase()}`].map(malformed),
];

function malformed(payment: string) {
  return { payment, code: 'invalid_format' };
}

test.each(MALFORMED_PAYMENTS)('refuses the payment id $payment: $code', async ({ payment, code }) => {
  expectMalformed(await propose({ payment, amount: 1 }), 'payment', code);
});

const READS = [
  { route: '/v1/refunds', own: 're', other: 'pay' },
  { route: '/v1/payments', own: 'pay', other: 're' },
] as const;

test.each(READS)('GET $route/{id}: malformed is 400, unknown is 404', async ({ route, own, other }) => {
  for (const id of ['x', '%00', '%zz', `${own}_test_`, `${other}_test_${SUFFIX}`, `${own}_test_8${SUFFIX.slice(1)}`]) {
    expectInvalid(await read(`${route}/${id}`), ['id', 'invalid_format']);
  }
  const unknown = await read(`${route}/${newId(idKind(own, { hasMode: true }), Date.now(), 'test')}`);
  expectError(unknown, { status: 404, code: 'not_found', errors: [['id', 'invalid_value']] });
  expect(unknown.body.error.next_step).toMatchObject({ type: 'list_resources', method: 'GET' });
  expect((await read(unknown.body.error.next_step.path)).status).toBe(200);
});

type Contents = Readonly<Record<string, readonly unknown[]>>;

/** Every row of every table of the schema, whatever tables there are. */
async function contents(): Promise<Contents> {
  const { rows } = await service.sql.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const found: Record<string, readonly unknown[]> = {};
  for (const { name } of rows) found[name] = (await service.sql.query(`SELECT * FROM ${name}`)).rows;
  return found;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
