import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CURRENCIES } from '../../src/shared/money.js';
import { post, type Reply } from '../support/client.js';
import { type Entry, expectInvalid } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';
import { bodyWith } from '../support/sessions.js';

const LINE = 'line_items[0]';
const PRICE = `${LINE}.price_data`;
const PRODUCT = `${PRICE}.product_data`;

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

const create = (body: unknown, key = tenant.test): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key, body });

test.each([
  ...['', `${LINE}.`, `${PRICE}.`, `${PRODUCT}.`].map((at) => `${at}color`),
  ...['id', 'object', 'mode', 'status', 'payment_status', 'created_at', 'lineItems', 'constructor', 'toString'],
  ...[`${LINE}.currency`, `${LINE}.unit_price`, `${PRICE}.name`, `${PRODUCT}.images2`, `${PRODUCT}.valueOf`],
])('%s is refused by name', async (param) => {
  expectInvalid(await create(bodyWith(param, 'x')), [param, 'unknown_field']);
});

const PRODUCT_LEAVES: Entry[] = [[`${PRODUCT}.name`, 'required']];
const PRICE_LEAVES: Entry[] = [
  [`${PRICE}.currency`, 'required', CURRENCIES],
  [`${PRICE}.unit_amount`, 'required'],
  ...PRODUCT_LEAVES,
];
const rows: [param: string, value: unknown, entries: Entry[]][] = [
  ['currency', undefined, [['currency', 'required', CURRENCIES]]],
  ['line_items', undefined, [['line_items', 'required']]],
  [PRICE, undefined, PRICE_LEAVES],
  [LINE, {}, PRICE_LEAVES],
  [PRICE, {}, PRICE_LEAVES],
  [`${PRICE}.currency`, undefined, PRICE_LEAVES.slice(0, 1)],
  [`${PRICE}.unit_amount`, undefined, PRICE_LEAVES.slice(1, 2)],
  [PRODUCT, undefined, PRODUCT_LEAVES],
  [PRODUCT, {}, PRODUCT_LEAVES],
];

test.each(rows)('%s as %j names what is missing', async (param, value, entries) => {
  expectInvalid(await create(bodyWith(param, value)), ...entries);
});

test.each(['', '{}'])('an empty body %j names what is missing', async (body) => {
  const headers = { 'content-type': 'application/json' };
  const reply = await post(`${service.url}/v1/checkout_sessions`, { key: tenant.test, body, headers });
  expectInvalid(reply, ['currency', 'required', CURRENCIES], ['line_items', 'required']);
});

test('everything wrong is reported at once', async () => {
  const price = { currency: 'usd', unit_amount: -1, tax_behavior: 'none', product_data: { name: '', color: 'red' } };
  const reply = await create({
    line_items: [{ quantity: '1', price_data: price }, {}],
    ui_mode: 'custom',
    metadata: { a: 1, '[': '' },
    success_url: 'x',
    expires: 1,
  });
  const found = reply.body.error.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`);
  expect(found.sort()).toEqual(
    [
      'currency required',
      `${LINE}.quantity invalid_type`,
      `${PRICE}.unit_amount too_small`,
      `${PRICE}.tax_behavior invalid_value`,
      `${PRODUCT}.name too_short`,
      `${PRODUCT}.color unknown_field`,
      'line_items[1].price_data.currency required',
      'line_items[1].price_data.unit_amount required',
      'line_items[1].price_data.product_data.name required',
      'ui_mode invalid_value',
      'metadata.a invalid_type',
      'metadata.[ invalid_format',
      'success_url invalid_format',
      'expires unknown_field',
    ].sort(),
  );
});
