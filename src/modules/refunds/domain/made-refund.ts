import { paramError, refusal } from '../../../shared/errors.js';
import { REFUND_REFERENCE_REUSED } from './refusals.js';

export interface Payout {
  readonly payment: string;
  readonly amount: number;
  /** Several refunds that were paid out together have the same one, but no two that were made elsewhere. */
  readonly providerReference: string | null;
}

/** A refund that was made elsewhere, such as in the dashboard of the payment provider. */
export interface MadeRefund extends Payout {
  readonly providerReference: string;
  readonly reference: string | null;
  readonly description: string | null;
}

type Named = Readonly<{ id: string; status: string; reference: string | null }>;

/** Refuses what is not the payout of a known refund. One that was canceled, or failed without a provider reference, has none. */
export function requirePayoutOf(known: Payout & Named, made: MadeRefund): void {
  const { id, status, payment, amount, reference, providerReference } = known;
  const isPaidAs = status !== 'canceled' && providerReference === made.providerReference;
  const mayBePaid = providerReference === null && (status === 'pending' || status === 'succeeded');
  const isSame = payment === made.payment && amount === made.amount && (made.reference ?? reference) === reference;
  if (isSame && (isPaidAs || mayBePaid)) return;
  const param = isPaidAs ? 'provider_reference' : 'reference';
  const message = 'This reference belongs to another refund.';
  throw refusal(REFUND_REFERENCE_REUSED, paramError(param, 'invalid_value', message), id);
}
