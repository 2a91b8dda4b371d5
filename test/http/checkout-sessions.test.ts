import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { instantOf } from '../../src/shared/id.js';
import { get, post, type Reply, SMALLEST } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';
import { createPaidSession, createSession, letTimeRunOut, settleExpired } from '../support/sessions.js';

const DAY_SECONDS = 24 * 60 * 60;
const SESSION_ID = /^cs_test_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const ANY_ID = 'cs_test_01jd0000000000000000000000';

let service: Service;
let tenant: Tenant;
let sessions: string;

const create = (body: unknown, key = tenant.test): Promise<Reply> => post(sessions, { key, body });
const read = (id: string, key = tenant.test): Promise<Reply> => get(`${sessions}/${id}`, { key });

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
  sessions = `${service.url}/v1/checkout_sessions`;
});

afterAll(() => service.close());

/** What the smallest body becomes: every field there is, in the documented order. */
const SMALLEST_SESSION = {
  id: expect.stringMatching(SESSION_ID),
  object: 'checkout.session',
  mode: 'test',
  ui_mode: 'hosted',
  status: 'open',
  payment_status: 'unpaid',
  currency: 'usd',
  amount: 1000,
  amount_subtotal: 1000,
  amount_discount: 0,
  amount_shipping: 0,
  amount_tax: 0,
  amount_total: 1000,
  success_url: null,
  cancel_url: null,
  return_url: null,
  notify_url: null,
  description: null,
  customer_email: null,
  locale: null,
  metadata: {},
  expires_at: expect.any(Number),
  created_at: expect.any(Number),
  line_items: {
    object: 'list',
    data: [
      {
        product_name: 'Book',
        description: null,
        images: [],
        tax_behavior: 'inclusive',
        quantity: 1,
        unit_price: 1000,
        currency: 'usd',
        amount_subtotal: 1000,
        amount_discount: 0,
        amount_tax: 0,
        amount_total: 1000,
      },
    ],
  },
};

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

describe('creating', () => {
  test('the smallest body makes a session with every default', async () => {
    const { status, headers, body } = await create(SMALLEST);
    expect({ status, body }).toEqual({ status: 201, body: SMALLEST_SESSION });
    expect(Object.keys(body)).toEqual(Object.keys(SMALLEST_SESSION));
    expect(Object.keys(body.line_items.data[0])).toEqual(Object.keys(SMALLEST_SESSION.line_items.data[0] ?? {}));
    expect(headers.get('location')).toBe(`/v1/checkout_sessions/${body.id}`);
  });

  test('the instant in the id is created_at, and the session lives for a day', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { body } = await create(SMALLEST);
    expect(body.created_at).toBe(Math.floor(instantOf(body.id) / 1000));
    expect(body.created_at).toBeGreaterThanOrEqual(before);
    expect(body.created_at).toBeLessThanOrEqual(Date.now() / 1000);
    expect(body.expires_at).toBe(body.created_at + DAY_SECONDS);
  });

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
      ...SMALLEST_SESSION,
      ...DETAILS,
      ...SUMS,
      currency: 'eur',
      locale: 'en-US',
      expires_at: expiresAt,
      line_items: { object: 'list', data },
    });
  });

  test.each([
    ['jpy', 1500],
    ['kwd', 1500],
    ['usd', 999_999_999_999],
  ])('%s %d is an amount in the minor unit and is not scaled', async (currency, amount) => {
    const price = { currency, unit_amount: amount, product_data: { name: 'Book' } };
    const { body } = await create({ currency, line_items: [{ price_data: price }] });
    expect(body).toMatchObject({ currency, amount, amount_total: amount, amount_subtotal: amount });
    expect(body.line_items.data[0]).toMatchObject({ currency, unit_price: amount, amount_total: amount });
    expect((await read(body.id)).body).toEqual(body);
  });

  test('a session with a total of 0 needs no payment', async () => {
    const price = { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } };
    const { body } = await create({ currency: 'usd', line_items: [{ price_data: price }] });
    expect(body).toMatchObject({ status: 'open', payment_status: 'no_payment_required', amount: 0, amount_total: 0 });
  });

  test.each([
    ['auto', 'auto'],
    ['de', 'de'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
    [null, null],
  ])('locale %s is stored as %s', async (locale, kept) => {
    const { body } = await create({ ...SMALLEST, locale });
    expect(body.locale).toBe(kept);
    expect((await read(body.id)).body.locale).toBe(kept);
  });

  test('metadata keeps its order, and may have the names of inherited members', async () => {
    const metadata = { zebra: '1', apple: '2', constructor: '3', toString: '4', 'mid dle': '5' };
    const { body } = await create({ ...SMALLEST, metadata });
    const answer = await read(body.id);
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify(answer.body.metadata)).toBe(JSON.stringify(metadata));
  });

  test('the mode is that of the key', async () => {
    const { body } = await create(SMALLEST, tenant.live);
    expect(body).toEqual({ ...SMALLEST_SESSION, id: expect.stringMatching(/^cs_live_/), mode: 'live' });
  });
});

describe('reading', () => {
  test('returns the same bytes as the creation, to keys of both modes', async () => {
    const created = await create(fullestBody(Math.floor(Date.now() / 1000) + 3600));
    for (const key of [tenant.test, tenant.live]) {
      const { status, text } = await read(created.body.id, key);
      expect({ status, text }).toEqual({ status: 200, text: created.text });
    }
  });

  test('an overdue session reads as expired, swept or not', async () => {
    const id = await createSession(service, tenant.test);
    const expired = { ...SMALLEST_SESSION, id, status: 'expired' };
    await letTimeRunOut(service, id);
    expect((await read(id)).body).toEqual(expired);
    await settleExpired(service, id);
    expect((await read(id)).body).toEqual(expired);
  });

  test('a paid session stays complete after its expires_at', async () => {
    const id = await createPaidSession(service, tenant);
    await letTimeRunOut(service, id);
    expect((await read(id)).body).toEqual({ ...SMALLEST_SESSION, id, status: 'complete', payment_status: 'paid' });
  });

  test('an unknown id is not found', async () => {
    const nextStep = { type: 'list_resources', path: '/v1/checkout_sessions', method: 'GET' };
    const errors = [['id', 'invalid_value']] as const;
    expectError(await read(ANY_ID), { status: 404, code: 'not_found', errors, nextStep });
  });

  test.each(['x', 're_test_01jd0000000000000000000000', ANY_ID.toUpperCase(), ANY_ID.slice(0, -1), `${ANY_ID}0`])(
    'id %s is malformed',
    async (id) => expectInvalid(await read(id), ['id', 'invalid_format']),
  );
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
