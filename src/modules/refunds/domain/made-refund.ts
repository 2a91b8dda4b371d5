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
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  readonly providerReference: string | null;
}

/**
 * Whether it is the payout of a refund that is known. It has the refund's ID at the provider, where one is known. A failed refund
 * without one was never paid out, and neither was a canceled refund: money that left is another refund's.
 */
export function isPayoutOf(known: KnownRefund, made: MadeRefund): boolean {
  const { status, payment, amount, reference, providerReference } = known;
  const mayBePaid = status === 'pending' || status === 'succeeded';
  const paidAs = providerReference ?? (mayBePaid ? made.providerReference : null);
  const isNamedSo = made.reference === null || made.reference === reference;
  const isSameProposal = payment === made.payment && amount === made.amount;
  return status !== 'canceled' && paidAs === made.providerReference && isSameProposal && isNamedSo;
}
