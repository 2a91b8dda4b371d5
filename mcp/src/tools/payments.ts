import { z } from 'zod';
import type { Tillgate } from '../../../client/src/index.js';
import { listOf, ORDER, PAGE, PAYMENT, PAYMENT_ID, SESSION, SESSION_ID } from '../schemas.js';
import { READS, tool } from '../tool.js';
import { asQuery, firstPage } from './pages.js';

/** An order has few sessions: the paid one, and those that expired before. */
const MAX_SESSIONS = 20;
const MAX_PAYMENTS = 100;

export const findPayments = tool({
  name: 'find_payments',
  title: 'Find payments',
  description:
    'Finds payments, the newest first, with what can still be refunded of each: those of an order (reference) or of a session (checkout_session), or all. With reference it returns the sessions of the order too: if there is none, the shop has no such order.',
  annotations: READS,
  input: z.strictObject({
    ...PAGE,
    reference: ORDER.optional(),
    checkout_session: SESSION_ID.optional(),
  }),
  output: listOf(PAYMENT).extend({
    sessions: z.array(SESSION).optional().describe('The sessions of the order.'),
  }),
  work: ({ reference, ...filters }, { tillgate }) => {
    if (reference !== undefined && filters.checkout_session === undefined)
      return paymentsOf(reference, tillgate);
    return firstPage(tillgate.payments.list(asQuery(filters)));
  },
});

async function paymentsOf(reference: string, tillgate: Tillgate) {
  const { data: sessions } = await firstPage(
    tillgate.checkoutSessions.list(asQuery({ reference, limit: MAX_SESSIONS })),
  );
  const pages = await Promise.all(
    sessions.map(({ id }) =>
      firstPage(tillgate.payments.list(asQuery({ checkout_session: id, limit: MAX_PAYMENTS }))),
    ),
  );
  return { data: pages.flatMap(({ data }) => data), next_cursor: null, sessions };
}

export const readPayment = tool({
  name: 'read_payment',
  title: 'Read a payment',
  description: 'Reads a payment, with what can still be refunded of it.',
  annotations: READS,
  input: z.strictObject({ id: PAYMENT_ID }),
  output: PAYMENT,
  work: ({ id }, { tillgate }) => tillgate.payments.retrieve(id),
});
