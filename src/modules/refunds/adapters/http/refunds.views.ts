import { createdAt } from '../../../../shared/id.js';
import type { OwnedRefund } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';

/** Interface document 2.4: these fields, in this order. */
export function refundView({ facts }: Refund) {
  return {
    id: facts.id,
    object: 'refund',
    amount: facts.amount,
    currency: facts.currency,
    status: facts.status,
    payment: facts.payment,
    created: createdAt(facts.id),
  };
}

/** The same as the ledger sees it: with whose it is, right after `object`. */
export function ledgerRefundView({ organization, refund }: OwnedRefund) {
  const { id, object, ...rest } = refundView(refund);
  return { id, object, organization, ...rest };
}
