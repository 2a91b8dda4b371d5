import { parseRange } from '../../../../platform/http/formats.js';
import { CURSOR, FROM, PageLimit, pageLimit, TO } from '../../../../platform/http/list.rules.js';
import { Formatted, OneOf } from '../../../../platform/http/rules.js';
import { DEFAULT_ORDER, type EventFilter, ORDERS, type Order } from '../../application/ports.js';
import { EVENT_TYPES, type EventType } from '../../domain/event.js';

export class ListEventsQuery {
  @OneOf(EVENT_TYPES, { optional: true, description: 'Only events of this type.' }) type?: EventType;
  @Formatted('resource-id', { optional: true, description: 'Only events of the resource with this identifier.' })
  object?: string;
  @Formatted('instant', FROM) from?: string;
  @Formatted('instant', TO) to?: string;
  @OneOf(ORDERS, {
    optional: true,
    defaultsTo: DEFAULT_ORDER,
    description: '`desc` begins with the newest, `asc` with the oldest.',
  })
  order?: Order;
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('evt-id', CURSOR) cursor?: string;
}

/** Throws an invalid_param refusal when the range is upside down. */
export function toFilter(query: ListEventsQuery): EventFilter {
  const { type, object, order = DEFAULT_ORDER, cursor, limit } = query;
  return { ...parseRange(query), type, object, order, cursor, limit: pageLimit(limit) };
}
