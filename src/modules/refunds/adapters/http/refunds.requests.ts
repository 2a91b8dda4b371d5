import { parseRange } from '../../../../platform/http/formats.js';
import { CURSOR, FROM, PageLimit, pageLimit, TO } from '../../../../platform/http/list.rules.js';
import { Amount, Formatted, OneOf, Text } from '../../../../platform/http/rules.js';
import type { LedgerRefundFilter, RefundFilter } from '../../application/ports.js';
import { PROPOSED, REFUND_STATUSES, type RefundStatus } from '../../domain/refund.js';

export class ProposeRefundRequest {
  @Formatted('pay-id', { description: 'The payment to refund.' }) payment!: string;
  @Amount({ min: 1, description: "At most what is left, in the minor unit of the payment's currency." })
  amount!: number;
}

export class FailRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why, for the books.' }) reason?: string | null;
}

export class ListRefundsQuery {
  @Formatted('pay-id', { optional: true, description: 'Only refunds of this payment.' }) payment?: string;
  @OneOf(REFUND_STATUSES, { optional: true, description: 'Only refunds that stand so.' }) status?: RefundStatus;
  @Formatted('instant', FROM) from?: string;
  @Formatted('instant', TO) to?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('re-id', CURSOR) cursor?: string;
}

export class ListLedgerRefundsQuery {
  @OneOf(REFUND_STATUSES, { optional: true, defaultsTo: PROPOSED, description: 'Only refunds that stand so.' })
  status?: RefundStatus;
  @Formatted('org-id', { optional: true, description: 'Only refunds of this organization.' }) organization?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('re-id', CURSOR) cursor?: string;
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
