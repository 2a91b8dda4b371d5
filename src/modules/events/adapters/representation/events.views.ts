import { facts } from '../../../../platform/facts.js';
import { listOf } from '../../../../platform/http/list.view.js';
import type { WebhookFacts } from '../../../../platform/http/operation.js';
import {
  components,
  constant,
  describedEnum,
  id,
  integer,
  later,
  list,
  MODE,
  nullable,
  object,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../platform/http/schema.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import type { Attempt } from '../../application/ports.js';
import type { ReadEventResult } from '../../application/read-event.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';

const resources = () => facts.resources.filter(({ events }) => Object.keys(events ?? {}).length > 0);

const FIELDS = {
  id: id(EVENT_ID, 'ID of the event, and the `webhook-id` of its webhooks.'),
  object: constant('event', 'Object type.'),
  type: later(() => describedEnum(Object.assign({}, ...resources().map(({ events }) => events)), 'Type of the event.')),
  mode: MODE,
  created: timestamp('Time of the event, in Unix seconds.'),
  sequence: integer('Number of the event among those of its resource: 1, 2, 3 and so on.', {
    minimum: 1,
    examples: [1],
  }),
  data: object({
    object: later(() => components(...resources().map(({ schema }) => schema))),
    reason: nullable(text('Why the object failed, if a reason was given; otherwise null.')),
  }),
};

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

/** For each event type, the webhook with its resource. */
export const eventWebhooks = () => webhooksOf(EVENT);

export function ledgerEventWebhooks(): Readonly<Record<string, WebhookFacts>> {
  const webhooks = Object.entries(webhooksOf(LEDGER_EVENT));
  const example = { organization: null };
  return Object.fromEntries(
    webhooks.map(([type, webhook]) => [`ledger.${type}`, type === 'webhook.test' ? { ...webhook, example } : webhook]),
  );
}

function webhooksOf(event: EventSchema): Readonly<Record<string, WebhookFacts>> {
  const described = resources().flatMap(({ events = {}, examples = {}, schema }) =>
    Object.entries(events).map(([type, description]) => {
      const only = { properties: { type: { const: type }, data: { properties: { object: components(schema) } } } };
      const example = examples[type];
      return [type, { description, schema: { allOf: [event, only] }, ...(example && { example }) }] as const;
    }),
  );
  return Object.fromEntries(described);
}

export const DELIVERY = object(
  {
    webhook_endpoint: nullable(
      id(WEBHOOK_ENDPOINT_ID, 'ID of the webhook endpoint that the event was sent to; null for the `notify_url`.'),
    ),
    attempt: integer('Number of the attempt, from 1.', { minimum: 1, examples: [1] }),
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
  { ...FIELDS, deliveries: list(DELIVERY, 'Attempts to deliver the event, oldest first.') },
  { name: 'EventWithDeliveries', description: 'An event with every attempt to deliver it.' },
);

export const EVENT_LIST = listOf('EventList', EVENT);
export const LEDGER_EVENT_LIST = listOf('LedgerEventList', LEDGER_EVENT);

/**
 * The JSON of an event. The stored `data` is inserted as it is, so every webhook sends the same bytes. `organization` is given
 * for the ledger only.
 */
export function eventJson({ id, type, mode, sequence, data, reason }: Event, organization?: string | null): string {
  const head: Omit<ValueOf<typeof EVENT>, 'data'> = {
    id,
    object: 'event',
    ...(organization !== undefined && { organization }),
    type,
    mode,
    created: createdAt(id),
    sequence,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":{"object":${data},"reason":${JSON.stringify(reason)}}}`;
}

export function eventWithDeliveriesJson({ event, attempts }: ReadEventResult): string {
  return `${eventJson(event).slice(0, -1)},"deliveries":${JSON.stringify(attempts.map(deliveryView))}}`;
}

export function deliveryView({
  endpoint,
  attempt,
  attemptedAt,
  statusCode,
  error,
  durationMs,
  nextAttemptAt,
}: Attempt): ValueOf<typeof DELIVERY> {
  return {
    webhook_endpoint: endpoint,
    attempt,
    attempted_at: Math.floor(attemptedAt / 1000),
    status_code: statusCode,
    error,
    duration_ms: durationMs,
    next_attempt_at: nextAttemptAt === null ? null : Math.floor(nextAttemptAt / 1000),
  };
}
