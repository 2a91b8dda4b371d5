import type { Caller, Requester } from '../../../shared/caller.js';
import { idKind } from '../../../shared/id.js';

export const REFUND_ID = idKind('re', { hasMode: true });

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
export const PENDING: RefundStatus = 'pending';

export const REFUND_EVENTS = {
  'refund.created': 'A refund was proposed, or one that was made elsewhere was recorded.',
  'refund.approved': 'A refund that waited for approval was approved.',
  'refund.succeeded': 'The ledger paid a refund out.',
  'refund.failed': 'The ledger refused a refund, or the money of a succeeded refund came back.',
  'refund.canceled':
    'The merchant canceled a pending refund, or its approval was rejected or expired.',
} as const;
export type RefundEvent = keyof typeof REFUND_EVENTS;

/**
 * A refund that was canceled, failed or paid out before anybody decided keeps `waiting`, so that
 * payouts without approval are found.
 */
export type Approval = 'not_needed' | 'waiting' | 'approved' | 'rejected' | 'expired';

/** Times are in milliseconds, by the clock of the organization. */
interface ApprovalState {
  readonly approval: Approval;
  /**
   * Null if it is not known: the refund was made elsewhere, or by a version that kept no proposers.
   */
  readonly proposedBy: Requester | null;
  /** When it expires; null if no approval is needed. */
  readonly approvalExpiresAt: number | null;
  readonly decidedBy: Requester | null;
  readonly decidedAt: number | null;
  readonly comment: string | null;
}

/**
 * What a worker's claim of a refund is. Times are in milliseconds, by the clock of the database.
 */
interface ClaimState {
  /** Number of the last claim, and its fencing token. 0 if the refund was never claimed. */
  readonly claimNumber: number;
  /** End of the claim's lease; null if the refund is not claimed. */
  readonly claimExpiresAt: number | null;
  /** How many leases in a row had run out when the refund was claimed last. */
  readonly lapses: number;
  /**
   * When the refund can be claimed next. 0 until its first claim, so that it comes before those
   * that were claimed.
   */
  readonly claimableAt: number;
}

export interface RefundState extends Caller, ClaimState, ApprovalState {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly payment: string;
  /** The merchant's own ID of the refund, unique in organization and mode for ever. */
  readonly reference: string | null;
  readonly description: string | null;
  /**
   * Several refunds that were paid out together have the same one, but no two that were made
   * elsewhere.
   */
  readonly providerReference: string | null;
  readonly failureReason: string | null;
  /** Whether nobody proposed it: the ledger recorded it after it was paid out. */
  readonly isMadeElsewhere: boolean;
}

export type NewRefund = Pick<RefundState, 'payment' | 'amount' | 'reference' | 'description'>;
export type Payout = Pick<RefundState, 'payment' | 'amount' | 'providerReference'>;

/** A refund that was made elsewhere, such as in the dashboard of the payment provider. */
export interface MadeRefund extends NewRefund {
  readonly providerReference: string;
}

export interface RefundablePayment extends Caller {
  readonly id: string;
  readonly currency: string;
  readonly refundable: number;
}

export interface Proposer {
  readonly requester: Requester;
  readonly needsApproval: boolean;
}

export interface ApprovalDecision {
  readonly by: Requester;
  readonly comment: string | null;
  readonly now: number;
}

export interface Extension {
  readonly claim: number;
  readonly leaseSeconds: number;
  readonly providerReference: string | null;
}

export interface Failure {
  readonly reason: string | null;
  readonly claim: number | null;
  readonly providerReference: string | null;
}

export const NEW = {
  status: PENDING,
  providerReference: null,
  failureReason: null,
  isMadeElsewhere: false,
  claimNumber: 0,
  claimExpiresAt: null,
  lapses: 0,
  claimableAt: 0,
  approval: 'not_needed',
  proposedBy: null,
  approvalExpiresAt: null,
  decidedBy: null,
  decidedAt: null,
  comment: null,
} as const;

export const DAYS_TO_DECIDE = 14;
/** A refund that was claimed so often needs a person. */
export const STUCK_CLAIMS = 5;
const LONGEST_WAIT_SECONDS = 3600;

export const isWaiting = ({ status, approval }: Pick<RefundState, 'status' | 'approval'>) =>
  status === PENDING && approval === 'waiting';

export function proposedBy({ requester, needsApproval }: Proposer, now: number) {
  // The API shows whole seconds.
  const approvalExpiresAt = (Math.floor(now / 1000) + DAYS_TO_DECIDE * 24 * 3600) * 1000;
  return {
    proposedBy: requester,
    ...(needsApproval && ({ approval: 'waiting', approvalExpiresAt } as const)),
  };
}

/**
 * A refund whose lease runs out for the nth time in a row waits its lease × 2^(n−1), at most an
 * hour.
 */
export function lease(now: number, seconds: number, lapses: number) {
  const claimExpiresAt = now + seconds * 1000;
  const waitSeconds = Math.min(seconds * 2 ** lapses, LONGEST_WAIT_SECONDS);
  return { claimExpiresAt, claimableAt: claimExpiresAt + waitSeconds * 1000 };
}
