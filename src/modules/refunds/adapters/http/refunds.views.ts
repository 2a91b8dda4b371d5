import { createdAt } from '../../../../shared/id.js';
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
