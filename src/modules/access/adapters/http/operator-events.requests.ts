import { Id, Instant, OneOf } from '../../../../request/validation/fields.js';
import { CURSOR, FROM, PageLimit, TO } from '../../../../request/validation/list.query.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import {
  OPERATOR_EVENT_ID,
  OPERATOR_EVENT_TYPES,
  type OperatorEventType,
} from '../../domain/operator-event.js';

export const DEFAULT_ORDER = 'desc';

export class ListOperatorEventsQuery {
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only events of this organization.' })
  organization?: string;
  @OneOf(Object.keys(OPERATOR_EVENT_TYPES), {
    optional: true,
    description: 'Only events of this type.',
  })
  type?: OperatorEventType;
  @Instant(FROM) from?: string;
  @Instant(TO) to?: string;
  @OneOf(['desc', 'asc'], {
    optional: true,
    default: DEFAULT_ORDER,
    description: 'Order of the changes: `desc` lists the newest event first, `asc` the oldest.',
  })
  order?: 'asc' | 'desc';
  @PageLimit() limit?: string;
  @Id(OPERATOR_EVENT_ID, CURSOR) cursor?: string;
}
