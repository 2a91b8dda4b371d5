import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CURRENCIES } from '../../src/shared/money.js';
import { post, type Reply, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectInvalid } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';
import { bodyWith } from '../support/sessions.js';

const MAX_AMOUNT = 999_999_999_999;
const LINE = 'line_items[0]';
const PRICE = `${LINE}.price_data`;
const PRODUCT = `${PRICE}.product_data`;
const STRINGS = ['success_url', 'cancel_url', 'return_url', 'notify_url', 'description', 'customer_email', 'locale'];
const URLS = ['success_url', 'cancel_url', 'return_url', 'notify_url', `${PRODUCT}.images[0]`];
const SESSION_AMOUNTS = [
  'amount',
  'amount_subtotal',
  'amount_discount',
  'amount_shipping',
  'amount_tax',
  'amount_total',
];
const LINE_AMOUNTS = ['amount_subtotal', 'amount_discount', 'amount_tax', 'amount_total'].map((it) => `${LINE}.${it}`);

const clock = new TestClock();
const now = Math.floor(clock.now() / 1000);
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService({ clock });
  tenant = await createTenant(service);
});

afterAll(() => service.close());

const create = (body: unknown, key = tenant.test): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key, body });

const text = (length: number) => 'é'.repeat(length);
const url = (length: number) => 'https://shop.example/'.padEnd(length, 'x');
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, '']));
const list = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe('types', () => {
  const ofTypes = (params: readonly string[], ...values: unknown[]) =>
    params.flatMap((param) => values.map((value) => [param, JSON.stringify(value), value] as const));

  test.each([
    ...ofTypes(['currency', `${PRICE}.currency`, `${PRODUCT}.name`, 'ui_mode', `${PRICE}.tax_behavior`], null),
    ...ofTypes([...STRINGS, `${PRODUCT}.description`, 'currency', 'ui_mode', `${PRICE}.currency`], 1, true, ['x'], {}),
    ...ofTypes([`${PRICE}.tax_behavior`, `${PRODUCT}.name`, ...URLS.slice(-1)], 1, false, ['x'], {}),
    ...ofTypes([...SESSION_AMOUNTS, ...LINE_AMOUNTS], '1000', 10.5, true, [1000], {}, null),
    ...ofTypes([`${LINE}.quantity`, `${PRICE}.unit_amount`, 'expires_at'], '1', 1.5, true, [1], {}, null),
    ...ofTypes(['line_items', `${PRODUCT}.images`], {}, 'x', 1, true, null),
    ...ofTypes(['metadata', LINE, PRICE, PRODUCT], [], 'x', 1, true, null),
    ...ofTypes(['metadata.order'], 1, true, ['x'], {}, null),
  ])('%s refuses %s', async (param, _, value) => {
    expectInvalid(await create(bodyWith(param, value)), [param, 'invalid_type']);
  });

  test.each([...STRINGS, `${PRODUCT}.description`])('%s may be null', async (param) => {
    expect((await create(bodyWith(param, null))).status).toBe(201);
  });

  test.each(['[]', 'null', '"x"', '1', 'true'])('the body must not be %s', async (body) => {
    expectInvalid(await create(body), ['body', 'invalid_type']);
  });
});

describe('bounds', () => {
  const rows: [param: string, inside: unknown, outside: unknown, code: string, at?: string][] = [
    [`${LINE}.quantity`, 1, 0, 'too_small'],
    [`${LINE}.quantity`, 999_999, 1_000_000, 'too_large'],
    [`${PRICE}.unit_amount`, 0, -1, 'too_small'],
    [`${PRICE}.unit_amount`, MAX_AMOUNT, MAX_AMOUNT + 1, 'too_large'],
    ['amount_shipping', 0, -1, 'too_small'],
    ['amount_shipping', MAX_AMOUNT - 1000, MAX_AMOUNT + 1, 'too_large'],
    [`${PRODUCT}.name`, 'x', '', 'too_short'],
    [`${PRODUCT}.name`, text(255), text(256), 'too_long'],
    [`${PRODUCT}.name`, '📚'.repeat(255), '📚'.repeat(256), 'too_long'],
    [`${PRODUCT}.description`, text(1000), text(1001), 'too_long'],
    [`${PRODUCT}.images`, list(8, url(30)), list(9, url(30)), 'too_long'],
    [`${PRODUCT}.images`, [url(2048)], [url(30), url(2049)], 'too_long', `${PRODUCT}.images[1]`],
    ['description', text(1000), text(1001), 'too_long'],
    ['success_url', url(2048), url(2049), 'too_long'],
    ['notify_url', url(2048), url(2049), 'too_long'],
    ['line_items', list(1, SMALLEST.line_items[0]), [], 'too_short'],
    ['line_items', list(100, SMALLEST.line_items[0]), list(101, SMALLEST.line_items[0]), 'too_long'],
    ['metadata', keys(50), keys(51), 'too_long'],
    ['metadata', { [text(40)]: '' }, { [text(41)]: '' }, 'too_long', `metadata.${text(41)}`],
    ['metadata', { x: '' }, { '': '' }, 'too_short', 'metadata.'],
    ['metadata', { x: text(500) }, { x: text(501) }, 'too_long', 'metadata.x'],
    // Five minutes and 24 hours, with a minute of grace for the caller's clock.
    ['expires_at', now + 240, now + 239, 'too_small'],
    ['expires_at', now + 86_460, now + 86_461, 'too_large'],
    ['expires_at', now + 300, 0, 'too_small'],
  ];

  test.each(rows)(
    '%s is accepted up to its bound and refused beyond it (%#)',
    async (param, inside, outside, code, ...[at]) => {
      expect((await create(bodyWith(param, inside))).status).toBe(201);
      expectInvalid(await create(bodyWith(param, outside)), [at ?? param, code]);
    },
  );

  test.each([...SESSION_AMOUNTS, ...LINE_AMOUNTS])('%s stays in the bounds of amounts', async (param) => {
    expectInvalid(await create(bodyWith(param, -1)), [param, 'too_small']);
    expectInvalid(await create(bodyWith(param, MAX_AMOUNT + 1)), [param, 'too_large']);
  });
});

describe('formats', () => {
  const rows: [params: readonly string[], code: string, allowed: readonly string[], values: readonly string[]][] = [
    [
      ['currency', `${PRICE}.currency`],
      'invalid_value',
      CURRENCIES,
      ['', 'us', 'usdd', 'zzz', 'xau', 'XXX', 'xts', ' usd'],
    ],
    [['currency'], 'invalid_value', CURRENCIES, ['\u212arw', 'ＵＳＤ']],
    [['ui_mode'], 'invalid_value', ['hosted', 'embedded'], ['', 'Hosted', 'custom']],
    [[`${PRICE}.tax_behavior`], 'invalid_value', ['inclusive', 'exclusive'], ['', 'unspecified']],
    [
      URLS,
      'invalid_format',
      [],
      ['', 'shop.example', '/thanks', 'https://', 'ftp://shop.example', 'javascript:alert(1)'],
    ],
    [
      URLS,
      'invalid_format',
      [],
      ['http://shop.example', 'http://localhost.example', 'https://a b.example', ' https://a.example'],
    ],
    [['success_url'], 'invalid_format', [], ['https:\\\\shop.example', 'https://shop.example\n', 'https:shop.example']],
    [['notify_url'], 'invalid_format', [], ['https://shop.example:22/', 'https://ada:secret@shop.example/']],
    [
      ['customer_email'],
      'invalid_format',
      [],
      ['', 'zoe', 'zoe@', '@shop.example', 'Zoe <zoe@shop.example>', 'a@b.co,c@d.co'],
    ],
    [['customer_email'], 'invalid_format', [], ['zoe @shop.example', 'zoe@shop..example', 'zoe@shop.example\n']],
    [['locale'], 'invalid_format', [], ['', 'e', 'en_US', 'en-', 'englishbritish', 'AUTO', 'en, de']],
  ];
  const cases = rows.flatMap(([params, code, allowed, values]) =>
    params.flatMap((param) => values.map((value) => [param, value, code, allowed] as const)),
  );

  test.each(cases)('%s refuses %j', async (param, value, code, allowed) => {
    expectInvalid(await create(bodyWith(param, value)), [param, code, allowed]);
  });

  test.each([
    ['success_url', 'HTTPS://SHOP.EXAMPLE'],
    ['success_url', 'https://shop.example:8443/a?b=c&d=%20#e'],
    ['success_url', 'http://localhost:3000/thanks'],
    ['customer_email', 'z@shop.example'],
    ['customer_email', 'zoe@localhost'],
    ['metadata.order id', ''],
  ])('%s accepts %j unchanged', async (param, value) => {
    const { status, body } = await create(bodyWith(param, value));
    expect(status).toBe(201);
    expect(param.startsWith('metadata.') ? body.metadata : body).toMatchObject({
      [param.replace('metadata.', '')]: value,
    });
  });

  test('notify_url must be a URL that webhooks can be sent to, and the message says which can', async () => {
    const { body } = await create({ ...SMALLEST, notify_url: 'https://shop.example:25/' });
    expect(body.error.errors[0].message).toBe(
      'notify_url must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up.',
    );
    const { body: other } = await create({ ...SMALLEST, notify_url: 'http://shop.example/' });
    expect(other.error.errors[0].message).toBe(
      'notify_url must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host.',
    );
  });

  test.each(['a[b', 'a]b', '[]'])('a metadata key must not be %s', async (key) => {
    const reply = await create({ ...SMALLEST, metadata: { [key]: 'x' } });
    expectInvalid(reply, [`metadata.${key}`, 'invalid_format']);
  });

  test.each(URLS)('%s may be http to localhost in test mode only', async (param) => {
    const body = bodyWith(param, 'http://localhost:8080/x');
    expect((await create(body)).status).toBe(201);
    expectInvalid(await create(body, tenant.live), [param, 'invalid_format']);
  });
});
