import { type ErrorCode, paramError, refusal } from '../../../shared/errors.js';

export const REFUND_IN_PROGRESS: ErrorCode = {
  code: 'refund_in_progress',
  kind: 'state',
  meaning:
    'The ledger has claimed the refund to pay it out. It can be canceled only if the ledger releases the claim. Read it.',
};

export const REFUND_CLAIMED: ErrorCode = {
  code: 'refund_claimed',
  kind: 'state',
  meaning: '`claim` is not the number of the current claim. Read the refund: another worker may have claimed it.',
};

/** What a worker's claim of a refund is. Times are in milliseconds, by the clock of the database. */
export interface ClaimState {
  /** Number of the last claim, and its fencing token. 0 if the refund was never claimed. */
  readonly claimNumber: number;
  /** End of the claim's lease; null if the refund is not claimed. */
  readonly claimExpiresAt: number | null;
  /** How many leases in a row had run out when the refund was claimed last. */
  readonly lapses: number;
  /** When the refund can be claimed next. 0 until its first claim, so that it comes before those that were claimed. */
  readonly claimableAt: number;
}

export interface Extension {
  readonly claim: number;
  readonly leaseSeconds: number;
  readonly providerReference: string | null;
}

export const NEVER_CLAIMED: ClaimState = { claimNumber: 0, claimExpiresAt: null, lapses: 0, claimableAt: 0 };

/** A refund that was claimed so often needs a person. */
export const STUCK_CLAIMS = 5;

const LONGEST_WAIT_SECONDS = 3600;

export function isClaimable({ claimExpiresAt, claimableAt }: ClaimState, now: number): boolean {
  return claimableAt <= now && (claimExpiresAt === null || claimExpiresAt <= now);
}

/** The next claim. A released claim has not lapsed, so the count of lapses in a row begins anew. */
export function claimed(state: ClaimState, now: number, leaseSeconds: number): ClaimState {
  const lapses = state.claimExpiresAt === null ? 0 : state.lapses + 1;
  return { claimNumber: state.claimNumber + 1, lapses, ...lease(now, leaseSeconds, lapses) };
}

/** The claim with a lease from now. An extension never shortens a lease. */
export function extended(state: ClaimState, now: number, leaseSeconds: number): ClaimState {
  const { claimNumber, claimExpiresAt, lapses } = state;
  const longer = lease(now, leaseSeconds, lapses);
  return (claimExpiresAt ?? 0) >= longer.claimExpiresAt ? state : { claimNumber, lapses, ...longer };
}

export function released({ claimNumber }: ClaimState, now: number, delaySeconds: number): ClaimState {
  return { claimNumber, claimExpiresAt: null, lapses: 0, claimableAt: now + delaySeconds * 1000 };
}

export function requireClaim({ claimNumber, claimExpiresAt }: ClaimState, claim: number | null, refund: string): void {
  if (claimExpiresAt !== null && claim === claimNumber) return;
  const code = claim === null ? 'required' : 'invalid_value';
  const missing = 'The refund is claimed: send the number of its claim as claim.';
  const other = claim === null ? missing : 'The refund has another claim.';
  const message = claimExpiresAt === null ? 'The refund is not claimed.' : other;
  throw refusal(REFUND_CLAIMED, paramError('claim', code, message), refund);
}

/** A refund whose lease runs out for the nth time in a row waits its lease × 2^(n−1), at most an hour. */
function lease(now: number, seconds: number, lapses: number) {
  const claimExpiresAt = now + seconds * 1000;
  const waitSeconds = Math.min(seconds * 2 ** lapses, LONGEST_WAIT_SECONDS);
  return { claimExpiresAt, claimableAt: claimExpiresAt + waitSeconds * 1000 };
}
