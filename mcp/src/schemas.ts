/**
 * These schemas describe what the tools take and return. Answers come from the API: these fields
 * are named, and others may follow.
 */
import { z } from 'zod';
import { MAX_AMOUNT } from '../../src/shared/money.js';

const id = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_`))
    .describe(`ID of the ${what}: ${prefix}_…`);
export const amount = (what: string) =>
  z
    .int()
    .min(0)
    .max(MAX_AMOUNT)
    .describe(`${what}, in the minor unit of the currency: 1299 is 12.99 USD, 500 is 500 JPY.`);
const time = (what: string) =>
  z.string().optional().describe(`${what}: Unix seconds, an RFC 3339 instant or a date.`);

export const SESSION_ID = id('cs', 'checkout session');
export const PAYMENT_ID = id('pay', 'payment');
export const REFUND_ID = id('re', 'refund');

export const ORDER = z
  .string()
  .min(1)
  .max(500)
  .describe('The order number of the shop, exactly as it was given to the session.');

export const PAGE = {
  from: time('Created at or after'),
  to: time('Created before'),
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('How many are returned at most, the newest first.'),
  cursor: z.string().optional().describe('The next_cursor of the page before.'),
};

const MODE = z.enum(['test', 'live']).describe('In test mode no real money moves.');
export const CURRENCY = z.string().describe('ISO 4217 code, such as usd.');

export const SESSION = z.looseObject({
  id: SESSION_ID,
  mode: MODE,
  status: z
    .enum(['open', 'complete', 'expired'])
    .describe('Only an open session can be paid. Complete and expired are final.'),
  payment_status: z.enum(['unpaid', 'paid', 'no_payment_required']),
  currency: CURRENCY,
  amount_total: amount('What the customer pays'),
});

export const PAYMENT = z.looseObject({
  id: PAYMENT_ID,
  mode: MODE,
  amount: amount('What was paid'),
  amount_refundable: amount('What can still be refunded'),
  currency: CURRENCY,
  checkout_session: z.string().nullable().describe('The session that was paid, if there is one.'),
});

export const REFUND = z.looseObject({
  id: REFUND_ID,
  amount: amount('What is refunded'),
  currency: CURRENCY,
  status: z
    .enum(['pending', 'succeeded', 'failed', 'canceled'])
    .describe('Only succeeded means that the money was paid out. Failed and canceled free it.'),
  payment: PAYMENT_ID,
});

export const APPROVAL = z.looseObject({
  payment: PAYMENT_ID,
  amount: amount('What is refunded'),
  currency: CURRENCY,
  reference: z.string().nullable().describe("The proposer's own ID of the refund."),
  description: z.string().nullable().describe('Why it was proposed.'),
  state: z
    .enum(['not_needed', 'waiting', 'approved', 'rejected', 'expired', 'withdrawn'])
    .describe(
      'Waiting: it is paid out only after somebody else has approved it. Withdrawn: it was canceled before that.',
    ),
  comment: z.string().nullable().describe('What whoever decided wrote.'),
});

export const REFUND_REFERENCE = z
  .string()
  .min(1)
  .max(255)
  .describe(
    'Your own ID of this refund, such as a return number. With the same one there is one refund for ever.',
  );

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Null on the last page.'),
  });
