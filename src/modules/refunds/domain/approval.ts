import type { Requester } from '../../../shared/caller.js';
import type { ErrorCode } from '../../../shared/errors.js';
import { REFUND_NOT_PENDING, refused, requirePending } from './refusals.js';

export const SECOND_PERSON_REQUIRED: ErrorCode = {
  code: 'second_person_required',
  kind: 'person',
  meaning:
    'The key has the same holder as the one that proposed the refund. Somebody with the key of another holder must decide.',
};

export const APPROVAL_AMOUNT_MISMATCH: ErrorCode = {
  code: 'approval_amount_mismatch',
  kind: 'state',
  meaning: "The amount is not the refund's. Read the refund, and approve what it says if that is right.",
};

/** A refund that was canceled, failed or paid out before anybody decided is stored as `waiting`, so that payouts without approval are found. */
export type Approval = 'not_needed' | 'waiting' | 'approved' | 'rejected' | 'expired';

/** Times are in milliseconds, by the clock of the organization. */
export interface ApprovalState {
  readonly approval: Approval;
  /** Null if it is not known: the refund was made elsewhere, or by a version that kept no proposers. */
  readonly proposedBy: Requester | null;
  /** When it expires; null if no approval is needed. */
  readonly approvalExpiresAt: number | null;
  readonly decidedBy: Requester | null;
  readonly decidedAt: number | null;
  readonly comment: string | null;
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

export interface ApprovedAmount extends ApprovalDecision {
  /** The amount that was seen. It must be the refund's. */
  readonly amount: number;
}

export const DAYS_TO_DECIDE = 14;
const MS_TO_DECIDE = DAYS_TO_DECIDE * 24 * 3600 * 1000;
const UNDECIDED = { approvalExpiresAt: null, decidedBy: null, decidedAt: null, comment: null };

export const UNKNOWN_PROPOSER: ApprovalState = { approval: 'not_needed', proposedBy: null, ...UNDECIDED };

export function proposedBy({ requester, needsApproval }: Proposer, now: number): ApprovalState {
  const known = { ...UNKNOWN_PROPOSER, proposedBy: requester };
  if (!needsApproval) return known;
  // The API shows whole seconds.
  return { ...known, approval: 'waiting', approvalExpiresAt: Math.floor(now / 1000) * 1000 + MS_TO_DECIDE };
}

export function hasExpired({ approvalExpiresAt }: ApprovalState, now: number): boolean {
  return approvalExpiresAt !== null && approvalExpiresAt <= now;
}

type Decidable = ApprovalState & Readonly<{ id: string; status: string; amount: number }>;

export const isWaiting = ({ status, approval }: Pick<Decidable, 'status' | 'approval'>) =>
  status === 'pending' && approval === 'waiting';

/** What a decision changes, or undefined if it was made before. Refuses one of this requester, of another amount, or of what waits for nobody. */
export function decidedAs(
  approval: 'approved' | 'rejected',
  refund: Decidable,
  { by, comment, now }: ApprovalDecision,
  seen = refund.amount,
): Partial<ApprovalState> | undefined {
  if (refund.approval === 'not_needed') throw refused(REFUND_NOT_PENDING, refund, 'The refund needs no approval.');
  // Another key of the same holder, such as a rotated one, is no second person.
  if (refund.proposedBy?.holder === by.holder) {
    const message = `${by.holder} proposed the refund, so another holder must decide.`;
    throw refused(SECOND_PERSON_REQUIRED, refund, message, 'Authorization');
  }
  // The refund's amount is not told: a program that follows what is allowed must not approve what nobody has seen.
  if (seen !== refund.amount) {
    throw refused(APPROVAL_AMOUNT_MISMATCH, refund, "The amount is not the refund's.", 'amount');
  }
  if (refund.approval === approval) return undefined;
  requirePending(refund);
  if (isWaiting(refund)) return { approval, decidedBy: by, decidedAt: now, comment };
  throw refused(REFUND_NOT_PENDING, refund, `The approval was ${refund.approval}.`);
}
