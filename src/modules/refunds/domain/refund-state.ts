import type { Caller } from '../../../shared/caller.js';
import { idKind } from '../../../shared/id.js';
import type { ApprovalState } from './approval.js';
import type { ClaimState } from './claim.js';

export const REFUND_ID = idKind('re', { hasMode: true });

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
export const PENDING: RefundStatus = 'pending';

export const REFUND_EVENTS = {
  'refund.created': 'A refund was proposed, or one that was made elsewhere was recorded.',
  'refund.approved': 'A refund that waited for approval was approved.',
  'refund.succeeded': 'The ledger paid a refund out.',
  'refund.failed': 'The ledger refused a refund, or the money of a succeeded refund came back.',
  'refund.canceled': 'The merchant canceled a pending refund, or its approval was rejected or expired.',
} as const;
export type RefundEvent = keyof typeof REFUND_EVENTS;

export interface RefundState extends Caller, ClaimState, ApprovalState {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly payment: string;
  /** The merchant's own ID of the refund, unique in organization and mode for ever. */
  readonly reference: string | null;
  readonly description: string | null;
  readonly providerReference: string | null;
  readonly failureReason: string | null;
  /** Whether nobody proposed it: the ledger recorded it after it was paid out. */
  readonly isMadeElsewhere: boolean;
}

export type NewRefund = Pick<RefundState, 'payment' | 'amount' | 'reference' | 'description'>;

export interface Failure {
  readonly reason: string | null;
  readonly claim: number | null;
  readonly providerReference: string | null;
}

export interface RefundablePayment extends Caller {
  readonly id: string;
  readonly currency: string;
  readonly refundable: number;
}
