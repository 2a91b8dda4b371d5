/**
 * These schemas describe what the tools take and return. Answers come from the API: these fields
 * are named, and others may follow.
 */
import { z } from 'zod';

const id = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_`))
    .describe(`ID of the ${what}.`);
const amount = (what: string) =>
  z.int().describe(`${what}, in the minor unit of the currency: 1299 is 12.99 USD.`);
const time = (what: string) =>
  z.string().optional().describe(`${what}: Unix seconds, an RFC 3339 instant or a date.`);

export const SESSION_ID = id('cs', 'checkout session');
export const PAYMENT_ID = id('pay', 'payment');
export const REFUND_ID = id('re', 'refund');

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

export const SESSION = z.looseObject({
  id: SESSION_ID,
  status: z.enum(['open', 'complete', 'expired']),
  payment_status: z.enum(['unpaid', 'paid', 'no_payment_required']),
  currency: z.string(),
  amount_total: amount('What the customer pays'),
});

export const PAYMENT = z.looseObject({
  id: PAYMENT_ID,
  amount: amount('What was paid'),
  amount_refundable: amount('What can still be refunded'),
  currency: z.string(),
  checkout_session: z.string().nullable(),
});

export const REFUND = z.looseObject({
  id: REFUND_ID,
  amount: amount('What is refunded'),
  currency: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed', 'canceled']),
  payment: PAYMENT_ID,
});

export const APPROVAL = z.looseObject({
  payment: PAYMENT_ID,
  amount: amount('What is refunded'),
  currency: z.string(),
  reference: z.string().nullable().describe("The proposer's own ID of the refund."),
  description: z.string().nullable().describe('Why it was proposed.'),
  state: z
    .enum(['not_needed', 'waiting', 'approved', 'rejected', 'expired'])
    .describe('A refund that is waiting is paid out only after somebody else has approved it.'),
  comment: z.string().nullable(),
});

export const PROPOSAL = {
  payment: PAYMENT_ID,
  amount: amount('What to refund').min(1),
  reference: z
    .string()
    .min(1)
    .max(255)
    .describe(
      'Your own ID of this refund, such as a return number. With the same one there is one refund for ever.',
    ),
  description: z.string().max(500).optional().describe('Why, for the person who approves.'),
};

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });
