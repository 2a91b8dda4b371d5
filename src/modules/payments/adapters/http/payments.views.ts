import { createdAt } from '../../../../shared/id.js';
import type { Payment } from '../../domain/payment.js';

/** Contract section 2: these fields, in this order. */
export function paymentView({ facts, refundable }: Payment) {
  return {
    id: facts.id,
    object: 'payment',
    mode: facts.mode,
    amount: facts.amount,
    amount_refunded: facts.amountRefunded,
    amount_pending_refund: facts.amountPendingRefund,
    amount_refundable: refundable,
    currency: facts.currency,
    checkout_session: facts.checkoutSession,
    created: createdAt(facts.id),
  };
}

/** The same as the ledger sees it: with whose it is, right after `object`. */
export function ledgerPaymentView(organization: string, payment: Payment) {
  const { id, object, ...rest } = paymentView(payment);
  return { id, object, organization, ...rest };
}
