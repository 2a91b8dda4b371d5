import { Id, Instant, OneOf } from '../../../../request/validation/fields.js';
import {
  CURSOR,
  FROM,
  PageLimit,
  pageRequest,
  TO,
} from '../../../../request/validation/list.query.js';
import type { Ledger } from '../../../../shared/caller.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { filterId } from '../../../../shared/own-id.js';
import { DEFAULT_ORDER, type EventFilter, ORDERS, type Order } from '../../application/ports.js';
import { EVENT_ID } from '../../domain/event.js';

class EventsQuery {
  @OneOf(({ eventTypes }) => eventTypes, {
    optional: true,
    description: 'Only events of this type.',
  })
  type?: string;
  @Id(({ resourcesWithEvents }) => resourcesWithEvents.map(({ id }) => id), {
    optional: true,
    description: 'Only events of the resource with this ID.',
  })
  object?: string;
  @Instant(FROM) from?: string;
  @Instant(TO) to?: string;
  @OneOf(ORDERS, {
    optional: true,
    default: DEFAULT_ORDER,
    description: 'Order by creation time: `desc` lists the newest event first, `asc` the oldest.',
  })
  order?: Order;
  @PageLimit() limit?: string;
  @Id(EVENT_ID, CURSOR) cursor?: string;
}

export class ListEventsQuery extends EventsQuery {
  @Id(
    ({ resources }) => [
      ...new Set(resources.flatMap(({ relatedEvents }) => relatedEvents?.of ?? [])),
    ],
    {
      optional: true,
      description: 'Only events of the payment with this ID, of its session and of its refunds.',
    },
  )
  payment?: string;
}

export class ListLedgerEventsQuery extends EventsQuery {
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only events of this organization.' })
  organization?: string;
}

export function toFilter(
  ledger: Ledger,
  query: ListEventsQuery & ListLedgerEventsQuery,
): EventFilter {
  const { type, order = DEFAULT_ORDER, organization } = query;
  const [object, about] = [query.object, query.payment].map((id) => filterId(ledger, id));
  return { ...pageRequest(query), type, object, about, order, organization };
}
