import {
  CheckoutSession,
  referenceInUse,
} from '../../../src/modules/checkout/domain/checkout-session.js';
import type { NewCheckoutSession } from '../../../src/modules/checkout/domain/session-terms.js';
import { CHECKOUT_SESSION_ID } from '../../../src/modules/checkout/index.js';
import { exampleId } from '../../../src/request/schema.js';
import { notFound } from '../../../src/shared/errors.js';
import type { Examples } from '../operation-examples.js';

const NOTHING = { amount_subtotal: 0, amount_total: 0 };
const FREE = {
  status: 'complete',
  payment_status: 'no_payment_required',
  amount: 0,
  ...NOTHING,
  line_items: { unit_price: 0, ...NOTHING },
};

const INPUT: NewCheckoutSession = {
  currency: 'usd',
  lineItems: [{ productName: 'Book', currency: 'usd', unitPrice: 5000 }],
};
const session = () =>
  CheckoutSession.restore({
    ...CheckoutSession.open(INPUT, 'test', 0).state,
    id: exampleId(CHECKOUT_SESSION_ID),
  });

const WAIT = [1_764_304_800, 1_763_700_000] as const;
const AWAITED = { until: WAIT[0], reason: 'bank transfer' };
const AWAITING = { expires_at: AWAITED.until };

const EXACT = { amount: 5000, currency: 'usd' };

export const REFUSED_PAYMENTS = [
  () => notFound('checkout_session', 'test'),
  () => session().expire().pay(EXACT),
  () => session().pay({ ...EXACT, amount: 4999 }),
];

export const EXAMPLES: Examples = {
  createCheckoutSession: {
    body: {
      currency: 'usd',
      line_items: [
        { price_data: { currency: 'usd', unit_amount: 5000, product_data: { name: 'Book' } } },
      ],
    },
    refusals: [() => referenceInUse(session().state)],
  },
  awaitPayment: {
    body: AWAITED,
    answer: AWAITING,
    refusals: [
      () =>
        session()
          .expire()
          .awaitPayment(...WAIT),
    ],
  },
  awaitTestPayment: {
    body: AWAITED,
    answer: AWAITING,
    refusals: [
      () =>
        session()
          .expire()
          .awaitPayment(...WAIT),
    ],
  },
  expireCheckoutSession: {
    answer: { status: 'expired' },
    refusals: [() => session().pay(EXACT).expire()],
  },
  redactCheckoutSession: {
    answer: { status: 'expired', line_items: { product_name: '[redacted]' } },
    refusals: [() => session().redact()],
  },
  completeCheckoutSession: { answer: FREE, refusals: [() => session().completeFree()] },
  'checkout.session.completed': {
    answer: { sequence: 2, data: { object: { status: 'complete', payment_status: 'paid' } } },
  },
  'checkout.session.awaiting_payment': {
    answer: { sequence: 2, data: { object: AWAITING, reason: AWAITED.reason } },
  },
  'checkout.session.expired': { answer: { sequence: 2, data: { object: { status: 'expired' } } } },
  'checkout.session.redacted': {
    answer: {
      sequence: 3,
      data: { object: { status: 'expired', line_items: { product_name: '[redacted]' } } },
    },
  },
};
