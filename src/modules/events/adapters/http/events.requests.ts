import { parseRange } from '../../../../platform/http/formats.js';
import { PageLimit, pageLimit } from '../../../../platform/http/page-limit.rule.js';
import { Formatted, OneOf } from '../../../../platform/http/rules.js';
import { type EventFilter, ORDERS, type Order } from '../../application/ports.js';
import { EVENT_TYPES, type EventType } from '../../domain/event.js';

export class ListEventsQuery {
  @OneOf(EVENT_TYPES, { optional: true }) type?: EventType;
  @Formatted('resource-id', { optional: true }) object?: string;
  @Formatted('instant', { optional: true }) from?: string;
  @Formatted('instant', { optional: true }) to?: string;
  @OneOf(ORDERS, { optional: true }) order?: Order;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('evt-id', { optional: true }) cursor?: string;
}

/** Throws an invalid_param refusal when the range is upside down. */
export function toFilter(query: ListEventsQuery): EventFilter {
  const { type, object, order = 'desc', cursor, limit } = query;
  return { ...parseRange(query), type, object, order, cursor, limit: pageLimit(limit) };
}
