import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  type CheckoutSession,
  type CreateCheckoutSessionRequest,
  TillgateError,
} from '../../../client/src/index.js';
import { amount, CURRENCY, listOf, ORDER, PAGE, SESSION, SESSION_ID } from '../schemas.js';
import { ADDS, type Desk, READS, tool } from '../tool.js';
import { sessionText } from '../words.js';
import { asQuery, firstPage } from './pages.js';

export const findSessions = tool({
  name: 'find_sessions',
  title: 'Find checkout sessions',
  description:
    'Finds checkout sessions, the newest first, by order number, status and dates. For what was paid and can be refunded, call find_payments.',
  annotations: READS,
  input: z.strictObject({
    ...PAGE,
    reference: ORDER.optional(),
    status: SESSION.shape.status.optional(),
  }),
  output: listOf(SESSION),
  work: (filters, { tillgate }) => firstPage(tillgate.checkoutSessions.list(asQuery(filters))),
});

export const readSession = tool({
  name: 'read_session',
  title: 'Read a checkout session',
  description:
    'Reads a checkout session with its line items, whose amounts tell what each item cost.',
  annotations: READS,
  input: z.strictObject({ id: SESSION_ID }),
  output: SESSION,
  work: ({ id }, { tillgate }) => tillgate.checkoutSessions.retrieve(id),
});

const LINE = z.strictObject({
  name: z.string().min(1).max(255).describe('What the customer buys.'),
  unit_amount: amount('What one of it costs'),
  quantity: z.int().min(1).max(999_999).default(1).describe('How many of it.'),
});

const CREATE = z.strictObject({
  reference: ORDER,
  currency: CURRENCY,
  lines: z.array(LINE).min(1).max(100).describe('The items, with prices that the shop has set.'),
});

export const createSession = tool({
  name: 'create_session',
  title: 'Create a checkout session',
  description:
    'Creates a checkout session for an order, and returns the link of the page on which the customer pays, and the total in words. No money moves until the customer pays there. The same call again returns the same session, as long as it can be paid or is paid.',
  annotations: ADDS,
  right: 'sessions',
  input: CREATE,
  output: z.object({
    session: SESSION,
    page_url: z
      .string()
      .nullable()
      .describe(
        'Where the customer pays. Null if nothing is left to pay, or the shop has no page.',
      ),
    expires_at: z.int().describe('Until when it can be paid, in Unix seconds.'),
    is_other: z
      .boolean()
      .describe('True if the order had a session already, which is this one: compare its lines.'),
    summary: z.string().describe('What to tell the customer.'),
  }),
  work: async (given, desk) => {
    const { session, isOther } = await sessionFor(requestOf(given), desk);
    const { pageUrl, ...shown } = { ...session, pageUrl: session.pageUrl };
    const { expires_at } = session;
    const summary = sessionText(session, pageUrl);
    return { session: shown, page_url: pageUrl ?? null, expires_at, is_other: isOther, summary };
  },
});

function requestOf({ reference, currency, lines }: z.output<typeof CREATE>) {
  const line_items = lines.map(({ name, unit_amount, quantity }) => ({
    quantity,
    price_data: { currency, unit_amount, product_data: { name } },
  }));
  return { currency, line_items, metadata: { reference } };
}

interface Found {
  readonly session: CheckoutSession & { readonly pageUrl: string | undefined };
  readonly isOther: boolean;
}

/**
 * Finds or creates the session of these arguments. After a session that expired, the same arguments
 * create the next one. If the order has another session already, this one is returned.
 */
async function sessionFor(
  request: CreateCheckoutSessionRequest,
  desk: Desk,
  expired = '',
): Promise<Found> {
  const { tillgate, caller } = desk;
  const idempotencyKey = keyOf(request, expired);
  try {
    const { id } = await tillgate.checkoutSessions.create(request, {
      idempotencyKey,
      actor: caller.actor,
    });
    // A repeated call is answered with the session as it was at first.
    const session = await tillgate.checkoutSessions.retrieve(id);
    if (session.status === 'expired') return sessionFor(request, desk, id);
    return { session, isOther: false };
  } catch (error) {
    const id = takenBy(error);
    if (id === undefined) throw error;
    return { session: await tillgate.checkoutSessions.retrieve(id), isOther: true };
  }
}

const keyOf = (request: object, expired: string): string =>
  createHash('sha256')
    .update(JSON.stringify([request, expired]))
    .digest('base64url');

/** Returns the ID of the session that has the reference already. */
function takenBy(error: unknown): string | undefined {
  if (!(error instanceof TillgateError) || String(error.code) !== 'reference_in_use') return;
  return /^\/v1\/checkout_sessions\/(\w+)$/.exec(error.nextStep.path)?.[1];
}
