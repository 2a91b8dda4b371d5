import {
  amount,
  asOwned,
  CURRENCY,
  constant,
  id,
  MODE,
  object,
  orNull,
  timestamp,
  type ValueOf,
} from '../../../../platform/http/schema.js';
import { createdAt } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import type { Payment } from '../../domain/payment.js';
import { PAYMENT_ID } from '../../domain/payment.js';

const FIELDS = {
  id: id(PAYMENT_ID, 'The identifier of the payment.'),
  object: constant('payment', 'What this is.'),
  mode: MODE,
  amount: amount('What was captured.'),
  amount_refunded: amount('What refunds that succeeded gave back.', 0),
  amount_pending_refund: amount('What refunds still pending reserve.', 0),
  amount_refundable: amount('What is left to refund.'),
  currency: CURRENCY,
  checkout_session: orNull(id(CHECKOUT_SESSION_ID, 'The session it was captured for, if for one.')),
  created: timestamp('When it was recorded, in Unix seconds.'),
};

/** Contract section 2: these fields, in this order. */
export const PAYMENT = object(FIELDS, {
  name: 'Payment',
  description: 'What was captured, and what is left to refund.',
});

/** The same as the ledger sees it: with whose it is, right after `object`. */
export const LEDGER_PAYMENT = object(asOwned(FIELDS), {
  name: 'LedgerPayment',
  description: 'A payment as the ledger sees it, with whose it is.',
});

export function paymentView({ state, refundable }: Payment): ValueOf<typeof PAYMENT> {
  return {
    id: state.id,
    object: 'payment',
    mode: state.mode,
    amount: state.amount,
    amount_refunded: state.amountRefunded,
    amount_pending_refund: state.amountPendingRefund,
    amount_refundable: refundable,
    currency: state.currency,
    checkout_session: state.checkoutSession,
    created: createdAt(state.id),
  };
}

export function ledgerPaymentView(organization: string, payment: Payment): ValueOf<typeof LEDGER_PAYMENT> {
  const { id, object, ...rest } = paymentView(payment);
  return { id, object, organization, ...rest };
}
