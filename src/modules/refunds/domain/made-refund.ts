import { paramError, refusal } from '../../../shared/errors.js';
import { REFUND_REFERENCE_REUSED } from './refusals.js';

/** A refund that was made elsewhere, such as in the dashboard of the payment provider. */
export interface MadeRefund {
  readonly payment: string;
  readonly amount: number;
  readonly reference: string | null;
  readonly description: string | null;
  /** Unique in organization and mode among the refunds that were made elsewhere. */
  readonly providerReference: string;
}

interface KnownRefund extends Omit<MadeRefund, 'description' | 'providerReference'> {
  readonly id: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  readonly providerReference: string | null;
}

/**
 * Refuses what is not the payout of a known refund with the same reference or provider reference. A canceled refund has none, and
 * neither has a failed one without a provider reference: the money that left is another refund's.
 */
export function requirePayoutOf(known: KnownRefund, made: MadeRefund): void {
  const { id, status, payment, amount, reference, providerReference } = known;
  const isPaidAs = status !== 'canceled' && providerReference === made.providerReference;
  const mayBePaid = providerReference === null && (status === 'pending' || status === 'succeeded');
  const isSame = payment === made.payment && amount === made.amount && (made.reference ?? reference) === reference;
  if (isSame && (isPaidAs || mayBePaid)) return;
  const param = isPaidAs ? 'provider_reference' : 'reference';
  const message = 'This reference belongs to another refund.';
  throw refusal(REFUND_REFERENCE_REUSED, paramError(param, 'invalid_value', message), id);
}
