import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { post, type Reply } from '../support/client.js';
import { type Entry, expectInvalid } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';

const MAX_AMOUNT = 999_999_999_999;

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

const create = (body: unknown): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key: tenant.test, body });

interface Line {
  readonly [amount: string]: unknown;
  readonly price?: number;
  readonly tax?: string;
  readonly currency?: string;
}

/** A body with these lines; what is not said here, the caller of the API does not say either. */
function bodyOf(lines: readonly Line[], session: object = {}) {
  const line_items = lines.map(({ price = 1000, tax, currency = 'usd', ...line }) => {
    const product_data = { name: 'Book' };
    return { ...line, price_data: { currency, unit_amount: price, tax_behavior: tax, product_data } };
  });
  return { currency: 'usd', ...session, line_items };
}

const INCLUSIVE: Line = { quantity: 3, amount_discount: 500, amount_tax: 400 };
const EXCLUSIVE: Line = { ...INCLUSIVE, tax: 'exclusive' };

const SUMS: [name: string, body: object, amounts: object, totals: readonly number[]][] = [
  ['one line', bodyOf([{}]), { subtotal: 1000, discount: 0, shipping: 0, tax: 0, total: 1000 }, [1000]],
  ['inclusive tax', bodyOf([INCLUSIVE]), { subtotal: 3000, discount: 500, shipping: 0, tax: 400, total: 2500 }, [2500]],
  ['exclusive tax', bodyOf([EXCLUSIVE]), { subtotal: 3000, discount: 500, shipping: 0, tax: 400, total: 2900 }, [2900]],
  [
    'both, and shipping',
    bodyOf([INCLUSIVE, EXCLUSIVE], { amount_shipping: 7 }),
    { subtotal: 6000, discount: 1000, shipping: 7, tax: 800, total: 5407 },
    [2500, 2900],
  ],
  [
    'the greatest line',
    bodyOf([{ price: 1_000_001, quantity: 999_998 }]),
    { subtotal: 999_998_999_998, discount: 0, shipping: 0, tax: 0, total: 999_998_999_998 },
    [999_998_999_998],
  ],
  [
    'a discount of everything',
    bodyOf([{ amount_discount: 1000 }]),
    { subtotal: 1000, discount: 1000, shipping: 0, tax: 0, total: 0 },
    [0],
  ],
];

test.each(SUMS)('%s is computed', async (_, body, amounts, totals) => {
  const reply = await create(body);
  const expected = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`amount_${name}`, amount]));
  expect(reply.body).toMatchObject({ ...expected, amount: expected.amount_total });
  expect(reply.body.line_items.data.map((line: Line) => line.amount_total)).toEqual(totals);
});

test.each(['amount', 'amount_subtotal', 'amount_discount', 'amount_tax', 'amount_total'])(
  'a wrong %s is refused with the right one',
  async (name) => {
    const [, body, amounts] = SUMS[3] as (typeof SUMS)[number];
    const right = { ...amounts, amount: 5407 } as Record<string, number>;
    const expected = right[name.replace('amount_', '')] as number;
    expect((await create({ ...body, [name]: expected })).status).toBe(201);
    for (const wrong of [expected - 1, expected + 1, 0]) {
      expectInvalid(await create({ ...body, [name]: wrong }), [name, 'amount_mismatch', [String(expected)]]);
    }
  },
);

test('every wrong amount is reported at once, each with the right one', async () => {
  const wrong = { amount_subtotal: 1, amount_total: 2 };
  const session = {
    amount: 3,
    amount_subtotal: 4,
    amount_discount: 5,
    amount_shipping: 7,
    amount_tax: 6,
    amount_total: 8,
  };
  const reply = await create(
    bodyOf(
      [
        { ...INCLUSIVE, ...wrong },
        { ...EXCLUSIVE, ...wrong },
      ],
      session,
    ),
  );
  expectInvalid(
    reply,
    ['line_items[0].amount_subtotal', 'amount_mismatch', ['3000']],
    ['line_items[0].amount_total', 'amount_mismatch', ['2500']],
    ['line_items[1].amount_subtotal', 'amount_mismatch', ['3000']],
    ['line_items[1].amount_total', 'amount_mismatch', ['2900']],
    ['amount', 'amount_mismatch', ['5407']],
    ['amount_subtotal', 'amount_mismatch', ['6000']],
    ['amount_discount', 'amount_mismatch', ['1000']],
    ['amount_tax', 'amount_mismatch', ['800']],
    ['amount_total', 'amount_mismatch', ['5407']],
  );
});

const REFUSED: [name: string, body: object, entries: Entry[]][] = [
  [
    'a discount above the subtotal',
    bodyOf([{ amount_discount: 1001 }]),
    [['line_items[0].amount_discount', 'too_large', ['1000']]],
  ],
  [
    'inclusive tax above what is left',
    bodyOf([{ amount_discount: 400, amount_tax: 601 }]),
    [['line_items[0].amount_tax', 'too_large', ['600']]],
  ],
  [
    'a line beyond the greatest amount',
    bodyOf([{ price: MAX_AMOUNT, quantity: 2 }]),
    [
      ['line_items[0].price_data.unit_amount', 'too_large', ['499999999999']],
      ['amount_total', 'too_large'],
    ],
  ],
  [
    'exclusive tax that lifts a line beyond it',
    bodyOf([{ price: MAX_AMOUNT, amount_tax: 1, tax: 'exclusive' }]),
    [
      ['line_items[0].amount_tax', 'too_large', ['0']],
      ['amount_total', 'too_large'],
    ],
  ],
  ['lines whose sum is beyond it', bodyOf([{ price: MAX_AMOUNT }, { price: 1 }]), [['amount_total', 'too_large']]],
  [
    'shipping that lifts the session beyond it',
    bodyOf([{ price: MAX_AMOUNT }], { amount_shipping: 1 }),
    [['amount_total', 'too_large']],
  ],
];

test.each(REFUSED)('%s is refused', async (_, body, entries) => {
  expectInvalid(await create(body), ...entries);
});

test('each line in another currency than the session is refused with the right one', async () => {
  const body = bodyOf([{ currency: 'eur' }, { currency: 'USD' }, { currency: 'jpy' }]);
  expectInvalid(
    await create(body),
    ['line_items[0].price_data.currency', 'currency_mismatch', ['usd']],
    ['line_items[2].price_data.currency', 'currency_mismatch', ['usd']],
  );
});
