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
 * A refund keeps `waiting` if it was canceled, failed or paid out before anybody decided, so that
 * payouts without approval are found.
 */
export const APPROVALS = ['not_needed', 'waiting', 'approved', 'rejected', 'expired'] as const;
export type Approval = (typeof APPROVALS)[number];

/** The times are in milliseconds, by the clock of the organization. */
interface ApprovalState {
  readonly approval: Approval;
  /**
   * This is null if nobody knows it: the refund was made elsewhere, or by a version that did not
   * store who proposed it.
   */
  readonly proposedBy: Requester | null;
  /** This is the time when the approval expires; null if no approval is needed. */
  readonly approvalExpiresAt: number | null;
  readonly decidedBy: Requester | null;
  readonly decidedAt: number | null;
  readonly comment: string | null;
}

/**
 * This is the state of a worker's claim. Its times are in milliseconds, by the clock of the
 * database.
 */
interface ClaimState {
  /**
   * This is the number of the last claim and its fencing token. It is 0 if the refund was never
   * claimed.
   */
  readonly claimNumber: number;
  /** This is the end of the claim's lease; null if the refund is not claimed. */
  readonly claimExpiresAt: number | null;
  /** This counts how many leases in a row had run out when the refund was claimed last. */
  readonly lapses: number;
  /**
   * The refund can be claimed again at this time. It is 0 until the first claim, so that new
   * refunds come before those that were claimed.
   */
  readonly claimableAt: number;
}

export interface RefundState extends Caller, ClaimState, ApprovalState {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly payment: string;
  /** This is the merchant's own ID of the refund, unique in its organization and mode for ever. */
  readonly reference: string | null;
  readonly description: string | null;
  /**
   * Several refunds that were paid out together have the same one, but no two refunds that were
   * made elsewhere do.
   */
  readonly providerReference: string | null;
  readonly failureReason: string | null;
  /** This is true if nobody proposed the refund: the ledger recorded it after it was paid out. */
  readonly isMadeElsewhere: boolean;
}

export type NewRefund = Pick<RefundState, 'payment' | 'amount' | 'reference' | 'description'>;
export type Payout = Pick<RefundState, 'payment' | 'amount' | 'providerReference'>;

/** This is a refund that was made elsewhere, such as in the dashboard of the payment provider. */
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
/** A refund needs a person after so many claims. */
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
 * Claims a refund for its lease. If the lease runs out for the nth time in a row, the refund waits
 * its lease × 2^(n−1), at most an hour, before the next claim.
 */
export function lease(now: number, seconds: number, lapses: number) {
  const claimExpiresAt = now + seconds * 1000;
  const waitSeconds = Math.min(seconds * 2 ** lapses, LONGEST_WAIT_SECONDS);
  return { claimExpiresAt, claimableAt: claimExpiresAt + waitSeconds * 1000 };
}
