import { parseRange } from '../../../../platform/http/formats.js';
import { PageLimit, pageLimit } from '../../../../platform/http/page-limit.rule.js';
import { Amount, Formatted, OneOf, Text } from '../../../../platform/http/rules.js';
import type { LedgerRefundFilter, RefundFilter } from '../../application/ports.js';
import { REFUND_STATUSES, type RefundStatus } from '../../domain/refund.js';

export class ProposeRefundRequest {
  @Formatted('pay-id') payment!: string;
  @Amount({ min: 1 }) amount!: number;
}

export class FailRefundRequest {
  @Text({ max: 500, optional: true }) reason?: string | null;
}

export class ListRefundsQuery {
  @Formatted('pay-id', { optional: true }) payment?: string;
  @OneOf(REFUND_STATUSES, { optional: true }) status?: RefundStatus;
  @Formatted('instant', { optional: true }) from?: string;
  @Formatted('instant', { optional: true }) to?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('re-id', { optional: true }) cursor?: string;
}

export class ListLedgerRefundsQuery {
  @OneOf(REFUND_STATUSES, { optional: true }) status?: RefundStatus;
  @Formatted('org-id', { optional: true }) organization?: string;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('re-id', { optional: true }) cursor?: string;
}

/** Throws an invalid_param refusal when the range is upside down. */
export function toFilter(query: ListRefundsQuery): RefundFilter {
  const { payment, status, cursor, limit } = query;
  return { ...parseRange(query), payment, status, cursor, limit: pageLimit(limit) };
}

export function toLedgerFilter(query: ListLedgerRefundsQuery): LedgerRefundFilter {
  const { status = 'pending', organization, cursor, limit } = query;
  return { status, organization, cursor, limit: pageLimit(limit) };
}
