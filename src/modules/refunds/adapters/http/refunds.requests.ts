import { Amount, Id, Instant, OneOf, Text } from '../../../../platform/http/fields.js';
import { CURSOR, FROM, PageLimit, pageLimit, parseRange, TO } from '../../../../platform/http/list.query.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import type { LedgerRefundFilter, RefundFilter } from '../../application/ports.js';
import { PROPOSED, REFUND_ID, REFUND_STATUSES, type RefundStatus } from '../../domain/refund.js';

export class ProposeRefundRequest {
  @Id(PAYMENT_ID, { description: 'ID of the payment to refund.' }) payment!: string;
  @Amount({
    min: 1,
    description: 'Amount to refund, in the minor unit of the currency of the payment. At most what is left to refund.',
  })
  amount!: number;
}

export class FailRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why the refund failed.' }) reason?: string | null;
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
  @OneOf(REFUND_STATUSES, { optional: true, default: PROPOSED, description: 'Only refunds with this status.' })
  status?: RefundStatus;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only refunds of this organization.' }) organization?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Id(REFUND_ID, CURSOR) cursor?: string;
}

/** Throws an invalid_param refusal when the range is upside down. */
export function toFilter(query: ListRefundsQuery): RefundFilter {
  const { payment, status, cursor, limit } = query;
  return { ...parseRange(query), payment, status, cursor, limit: pageLimit(limit) };
}

export function toLedgerFilter(query: ListLedgerRefundsQuery): LedgerRefundFilter {
  const { status = PROPOSED, organization, cursor, limit } = query;
  return { status, organization, cursor, limit: pageLimit(limit) };
}
