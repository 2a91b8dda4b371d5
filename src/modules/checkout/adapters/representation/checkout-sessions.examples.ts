import { exampleId } from '../../../../platform/http/schema.js';
import { notFound } from '../../../../shared/errors.js';
import { CHECKOUT_SESSION_ID, CheckoutSession } from '../../domain/checkout-session.js';
import { type NewCheckoutSession } from '../../domain/session-terms.js';

export const NEW_SESSION = {
  currency: 'usd',
  line_items: [{ price_data: { currency: 'usd', unit_amount: 5000, product_data: { name: 'Book' } } }],
};

const NOTHING = { amount_subtotal: 0, amount_total: 0 };
export const FREE = {
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
  CheckoutSession.restore({ ...CheckoutSession.open(INPUT, 'test', 0).state, id: exampleId(CHECKOUT_SESSION_ID) });

const EXACT = { amount: 5000, currency: 'usd' };

export const REFUSED_EXPIRY = [() => session().pay(EXACT).expire()];
export const REFUSED_COMPLETION = [() => session().completeFree()];
export const REFUSED_PAYMENTS = [
  () => notFound('checkout_session', 'test'),
  () => session().expire().pay(EXACT),
  () => session().pay({ ...EXACT, amount: 4999 }),
];
