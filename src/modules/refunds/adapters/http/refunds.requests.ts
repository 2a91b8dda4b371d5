import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { Amount, Id, Instant, Integer, OneOf, Text } from '../../../../validation/fields.js';
import { CURSOR, FROM, PageLimit, pageLimit, parseRange, TO } from '../../../../validation/list.query.js';
import { Owner } from '../../../../validation/requests.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import type { Failure } from '../../application/fail-refund.js';
import type { Claim, LedgerRefundFilter, RefundFilter } from '../../application/ports.js';
import { PENDING, REFUND_ID, REFUND_STATUSES, type RefundStatus } from '../../domain/refund.js';

const DEFAULT_CLAIM = 10;
const DEFAULT_LEASE_SECONDS = 60;

export class ProposeRefundRequest {
  @Id(PAYMENT_ID, { description: 'ID of the payment to refund.' }) payment!: string;
  @Amount({
    min: 1,
    description: "Amount to refund, in the minor unit of the payment's currency. At most its `amount_refundable`.",
  })
  amount!: number;
}

const ClaimNumber = ({ optional = false } = {}) =>
  Integer({ min: 1, max: 2_147_483_647, optional, description: 'The `claim.number` of your claim on the refund.' });

const LeaseSeconds = () =>
  Integer({
    min: 15,
    max: 3600,
    optional: true,
    default: DEFAULT_LEASE_SECONDS,
    description: 'Length of the lease, in seconds from now.',
  });

export class ClaimRefundsRequest {
  @Integer({ min: 1, max: 100, optional: true, default: DEFAULT_CLAIM, description: 'Maximum number of refunds.' })
  limit?: number;
  @LeaseSeconds() lease_seconds?: number;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only refunds of this organization.' }) organization?:
    | string
    | null;
}

export function toClaim({ limit = DEFAULT_CLAIM, lease_seconds, organization }: ClaimRefundsRequest): Claim {
  return { limit, leaseSeconds: toSeconds(lease_seconds), organization: organization ?? undefined };
}

export class ExtendClaimRequest {
  @ClaimNumber() claim!: number;
  @LeaseSeconds() lease_seconds?: number;
  @Owner() organization?: string | null;
}

export function toSeconds(lease: number = DEFAULT_LEASE_SECONDS): number {
  return lease;
}

export class ReleaseClaimRequest {
  @ClaimNumber() claim!: number;
  @Owner() organization?: string | null;
}

export class SucceedRefundRequest {
  @ClaimNumber({ optional: true }) claim?: number;
  @Owner() organization?: string | null;
}

export class FailRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why the refund failed.' }) reason?: string | null;
  @ClaimNumber({ optional: true }) claim?: number;
  @Owner() organization?: string | null;
}

export function toFailure({ reason, claim }: FailRefundRequest): Failure {
  return { reason: reason ?? null, claim: claim ?? null };
}

export class ReturnRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why the money came back.' }) reason?: string | null;
  @Owner() organization?: string | null;
}

export class ListRefundsQuery {
  @Id(PAYMENT_ID, { optional: true, description: 'Only refunds of this payment.' }) payment?: string;
  @OneOf(REFUND_STATUSES, { optional: true, description: 'Only refunds with this status.' }) status?: RefundStatus;
  @Instant(FROM) from?: string;
  @Instant(TO) to?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Id(REFUND_ID, CURSOR) cursor?: string;
}

export class ListLedgerRefundsQuery {
  @OneOf(REFUND_STATUSES, { optional: true, default: PENDING, description: 'Only refunds with this status.' })
  status?: RefundStatus;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only refunds of this organization.' }) organization?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Id(REFUND_ID, CURSOR) cursor?: string;
}

export function toFilter(query: ListRefundsQuery): RefundFilter {
  const { payment, status, cursor, limit } = query;
  return { payment, status, cursor, limit: pageLimit(limit), ...parseRange(query) };
}

export function toLedgerFilter(query: ListLedgerRefundsQuery): LedgerRefundFilter {
  const { status = PENDING, organization, cursor, limit } = query;
  return { status, organization, cursor, limit: pageLimit(limit) };
}
