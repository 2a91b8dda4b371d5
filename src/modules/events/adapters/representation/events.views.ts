import type { Facts } from '../../../../platform/facts.js';
import { listOf } from '../../../../request/list.view.js';
import type { WebhookFacts } from '../../../../request/operation.js';
import {
  components,
  constant,
  describedEnum,
  id,
  integer,
  list,
  MODE,
  NAME,
  nullable,
  object,
  ofFacts,
  type Schema,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../request/schema.js';
import { createdAt, ORGANIZATION_ID, recordedAt } from '../../../../shared/id.js';
import { type Attempt, SHOWN_ATTEMPTS } from '../../application/ports.js';
import type { ResentEvent } from '../../application/resend-event.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';

const FIELDS = {
  id: id(EVENT_ID, 'ID of the event, and the `webhook-id` of its webhooks.'),
  object: constant('event', 'Object type.'),
  type: ofFacts<string>(({ resourcesWithEvents }) => ({
    [NAME]: 'EventType',
    ...describedEnum(Object.assign({}, ...resourcesWithEvents.map(({ events }) => events)), 'Type of the event.'),
    examples: Object.keys(resourcesWithEvents.at(-1)?.events ?? {}).slice(0, 1),
  })),
  mode: MODE,
  created: timestamp('Time of the event, in Unix seconds.'),
  sequence: integer('Number of the event among those of its resource: 1, 2, 3 and so on.', {
    minimum: 1,
    examples: [1],
  }),
  data: ofFacts(dataSchema),
};

/** The details are not required: only some resources have them. */
function dataSchema({ resourcesWithEvents }: Facts): Schema {
  const data = object({
    object: components(...resourcesWithEvents.map(({ schema }) => schema)),
    reason: nullable(text('Why the object failed, if a reason was given; otherwise null.')),
  });
  const details = Object.assign({}, ...resourcesWithEvents.map(({ details }) => details));
  return { [NAME]: 'EventData', ...data, properties: { ...(data.properties as object), ...details } };
}

const EVENT = object(FIELDS, {
  name: 'Event',
  description: 'A change of a resource. `data.object` is the resource right after the change.',
});

const ORGANIZATION = nullable(id(ORGANIZATION_ID, 'Owning organization; null for `webhook.test`.'));
const LEDGER_EVENT = object(withOrganization(ORGANIZATION, FIELDS), {
  name: 'LedgerEvent',
  description: 'A change of a resource, with the organization that owns it.',
});

type EventSchema = typeof EVENT | typeof LEDGER_EVENT;

export const eventWebhooks = (facts: Facts) => webhooksOf(EVENT, facts);

export function ledgerEventWebhooks(facts: Facts): Readonly<Record<string, WebhookFacts>> {
  const webhooks = Object.entries(webhooksOf(LEDGER_EVENT, facts));
  return Object.fromEntries(webhooks.map(([type, webhook]) => [`ledger.${type}`, webhook]));
}

function webhooksOf(event: EventSchema, { resourcesWithEvents }: Facts): Readonly<Record<string, WebhookFacts>> {
  const described = resourcesWithEvents.flatMap(({ events = {}, schema }) =>
    Object.entries(events).map(([type, description]) => {
      const only = {
        properties: { type: { const: type }, data: { properties: { object: components(schema) } } },
      };
      return [type, { description, schema: { allOf: [event, only] } }] as const;
    }),
  );
  return Object.fromEntries(described);
}

const NUMBERED = {
  webhook_endpoint: nullable(
    id(WEBHOOK_ENDPOINT_ID, 'ID of the webhook endpoint that the event is sent to; null for the `notify_url`.'),
  ),
  attempt: integer('Number of the attempt, from 1.', { minimum: 1, examples: [1] }),
};

export const DELIVERY = object(
  {
    ...NUMBERED,
    attempted_at: timestamp('Time of the attempt, in Unix seconds.'),
    status_code: nullable(integer('HTTP status of the response; null if there was none.', { examples: [204] })),
    error: nullable(text('Why there was no response; null if there was one.')),
    duration_ms: integer('Duration of the attempt, in milliseconds.', { minimum: 0, examples: [120] }),
    next_attempt_at: {
      ...nullable(timestamp('Time of the next attempt, in Unix seconds; null if there is none.')),
      examples: [null],
    },
  },
  { name: 'Delivery', description: 'An attempt to deliver an event.' },
);

export const EVENT_WITH_DELIVERIES = object(
  {
    ...FIELDS,
    deliveries: list(DELIVERY, `The last ${SHOWN_ATTEMPTS} attempts of each delivery of the event, oldest first.`),
  },
  { name: 'EventWithDeliveries', description: 'An event with the last attempts to deliver it.' },
);

const DUE_DELIVERY = object(
  { ...NUMBERED, next_attempt_at: timestamp('When the attempt is due, in Unix seconds.') },
  { name: 'DueDelivery', description: 'A delivery of an event whose next attempt is due.' },
);
export const RESENT_EVENT = object(
  { ...FIELDS, deliveries: list(DUE_DELIVERY, 'One for each receiver to which the event is sent.') },
  { name: 'ResentEvent', description: 'An event with the deliveries that are due now.' },
);

export const EVENT_LIST = listOf('EventList', EVENT);
export const LEDGER_EVENT_LIST = listOf('LedgerEventList', LEDGER_EVENT);

/**
 * The JSON of an event. The stored `data` is inserted as it is, so every webhook sends the same bytes. `organization` is given
 * for the ledger only, to which an event has its real time.
 */
export function eventJson(event: Event, organization?: string | null): string {
  const { id, type, mode, sequence, data, reason, details } = event;
  const head: Omit<ValueOf<typeof EVENT>, 'data'> = {
    id,
    object: 'event',
    ...(organization !== undefined && { organization }),
    type,
    mode,
    created: organization === undefined ? createdAt(id) : recordedAt(id),
    sequence,
  };
  const more = details ? `,${details.slice(1, -1)}` : '';
  return `${JSON.stringify(head).slice(0, -1)},"data":{"object":${data},"reason":${JSON.stringify(reason)}${more}}}`;
}

export function eventWithDeliveriesJson(event: Event, attempts: readonly Attempt[]): string {
  return withDeliveries(event, attempts.map(deliveryView));
}

export function resentEventJson({ event, recipients, dueAt }: ResentEvent): string {
  const due = recipients.map(({ endpoint, attempts }): ValueOf<typeof DUE_DELIVERY> => {
    return { webhook_endpoint: endpoint, attempt: attempts + 1, next_attempt_at: Math.floor(dueAt / 1000) };
  });
  return withDeliveries(event, due);
}

function withDeliveries(event: Event, deliveries: readonly object[]): string {
  return `${eventJson(event).slice(0, -1)},"deliveries":${JSON.stringify(deliveries)}}`;
}

export function deliveryView(made: Attempt): ValueOf<typeof DELIVERY> {
  return {
    webhook_endpoint: made.endpoint,
    attempt: made.attempt,
    attempted_at: Math.floor(made.attemptedAt / 1000),
    status_code: made.statusCode,
    error: made.error,
    duration_ms: made.durationMs,
    next_attempt_at: made.nextAttemptAt === null ? null : Math.floor(made.nextAttemptAt / 1000),
  };
}
