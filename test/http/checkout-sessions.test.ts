import { beforeAll, expect, test } from '@jest/globals';
import { get, post, type Reply, SMALLEST } from '../support/client.js';
import { createTenant, type Tenant } from '../support/service.js';
import { createPaidSession, letTimeRunOut, settleExpired } from '../support/sessions.js';
import { useService } from '../support/setup.js';

const service = useService();
let tenant: Tenant;
let sessions: string;

const create = (body: unknown, key = tenant.test): Promise<Reply> => post(sessions, { key, body });
const read = (id: string, key = tenant.test): Promise<Reply> => get(`${sessions}/${id}`, { key });

beforeAll(async () => {
  tenant = await createTenant(service);
  sessions = `${service.url}/v1/checkout_sessions`;
});

const DETAILS = {
  ui_mode: 'embedded',
  success_url: 'https://shop.example/thanks?session=1#top',
  cancel_url: 'https://shop.example/cart',
  return_url: 'http://localhost:3000/back',
  notify_url: 'https://hooks.shop.example/tillgate',
  description: 'Order 6735 für Zoë 📚',
  customer_email: "zoe.o'brien+books@shop.example",
  metadata: { order: '6735', note: '', 'clé.é': 'ü' },
};

const SUMS = {
  amount: 6260,
  amount_subtotal: 6000,
  amount_discount: 500,
  amount_shipping: 700,
  amount_tax: 160,
  amount_total: 6260,
};

/** Three atlases with a discount and their tax inside, and one pen with its tax on top. */
function fullestBody(expiresAt: number) {
  const product = { name: 'Atlas', description: 'Hardcover', images: ['https://shop.example/atlas.png'] };
  const atlas = { currency: 'EUR', unit_amount: 1700, tax_behavior: 'inclusive', product_data: product };
  const pen = { currency: 'eur', unit_amount: 900, tax_behavior: 'exclusive', product_data: { name: 'Pen' } };
  const amounts = { amount_subtotal: 5100, amount_discount: 500, amount_tax: 100, amount_total: 4600 };
  const line_items = [
    { quantity: 3, ...amounts, price_data: atlas },
    { quantity: 1, amount_subtotal: 900, amount_discount: 0, amount_tax: 60, amount_total: 960, price_data: pen },
  ];
  return { currency: 'Eur', ...SUMS, line_items, ...DETAILS, locale: 'EN-us', expires_at: expiresAt };
}

test('a body with every field comes back unchanged', async () => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  const { status, body } = await create(fullestBody(expiresAt));
  const atlas = { product_name: 'Atlas', description: 'Hardcover', images: ['https://shop.example/atlas.png'] };
  const atlasAmounts = { amount_subtotal: 5100, amount_discount: 500, amount_tax: 100, amount_total: 4600 };
  const pen = { product_name: 'Pen', description: null, images: [], tax_behavior: 'exclusive', quantity: 1 };
  const penAmounts = { amount_subtotal: 900, amount_discount: 0, amount_tax: 60, amount_total: 960 };
  const data = [
    { ...atlas, tax_behavior: 'inclusive', quantity: 3, unit_price: 1700, currency: 'eur', ...atlasAmounts },
    { ...pen, unit_price: 900, currency: 'eur', ...penAmounts },
  ];
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^cs_test_/),
    object: 'checkout.session',
    mode: 'test',
    status: 'open',
    payment_status: 'unpaid',
    ...DETAILS,
    ...SUMS,
    currency: 'eur',
    locale: 'en-US',
    expires_at: expiresAt,
    created_at: expect.any(Number),
    line_items: { object: 'list', data },
  });
});

test('metadata keeps its order, and may have the names of inherited members', async () => {
  const metadata = { zebra: '1', apple: '2', constructor: '3', toString: '4', 'mid dle': '5' };
  const { body } = await create({ ...SMALLEST, metadata });
  const answer = await read(body.id);
  expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
  expect(JSON.stringify(answer.body.metadata)).toBe(JSON.stringify(metadata));
});

test('an overdue session reads as expired, swept or not', async () => {
  const { body } = await create(SMALLEST);
  const expired = { ...body, status: 'expired', expires_at: expect.any(Number) };
  await letTimeRunOut(service, body.id);
  expect((await read(body.id)).body).toEqual(expired);
  await settleExpired(service, body.id);
  expect((await read(body.id)).body).toEqual(expired);
});

test('a paid session stays complete after its expires_at', async () => {
  const id = await createPaidSession(service, tenant);
  await letTimeRunOut(service, id);
  expect((await read(id)).body).toMatchObject({ id, status: 'complete', payment_status: 'paid' });
});

test('responses have headers for JSON, privacy and tracing', async () => {
  const created = await create(SMALLEST);
  for (const { headers } of [created, await read(created.body.id), await get(sessions, { key: tenant.test })]) {
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('request-id')).toMatch(/^req_[0-9a-f-]{36}$/);
    expect(headers.has('idempotent-replayed')).toBe(false);
    expect(headers.has('access-control-allow-origin')).toBe(false);
  }
});
