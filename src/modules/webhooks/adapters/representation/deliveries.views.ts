import {
  id,
  integer,
  list,
  MAX_INT32,
  nullable,
  object,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { EVENT_FIELDS, type Event, eventJson } from '../../../events/index.js';
import { type Attempt, SHOWN_ATTEMPTS } from '../../application/ports.js';
import type { ResentEvent } from '../../application/resend-event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';

const NUMBERED = {
  webhook_endpoint: nullable(
    id(
      WEBHOOK_ENDPOINT_ID,
      'ID of the webhook endpoint that the event is sent to; null for the `notify_url`.',
    ),
  ),
  attempt: integer('Number of the attempt, from 1.', {
    minimum: 1,
    maximum: MAX_INT32,
    examples: [1],
  }),
};

export const DELIVERY = object(
  {
    ...NUMBERED,
    attempted_at: timestamp('Time of the attempt, in Unix seconds.'),
    status_code: nullable(
      integer('HTTP status of the response; null if there was none.', {
        maximum: 999,
        examples: [204],
      }),
    ),
    error: nullable(text('Why there was no response; null if there was one.')),
    duration_ms: integer('Duration of the attempt, in milliseconds.', {
      minimum: 0,
      examples: [120],
    }),
    next_attempt_at: {
      ...nullable(timestamp('Time of the next attempt, in Unix seconds; null if there is none.')),
      examples: [null],
    },
  },
  { name: 'Delivery', description: 'An attempt to deliver an event.' },
);

export const EVENT_WITH_DELIVERIES = object(
  {
    ...EVENT_FIELDS,
    deliveries: list(
      DELIVERY,
      `The last ${SHOWN_ATTEMPTS} attempts of each delivery of the event, oldest first.`,
    ),
  },
  { name: 'EventWithDeliveries', description: 'An event with the last attempts to deliver it.' },
);

const DUE_DELIVERY = object(
  { ...NUMBERED, next_attempt_at: timestamp('When the attempt is due, in Unix seconds.') },
  { name: 'DueDelivery', description: 'A delivery of an event whose next attempt is due.' },
);
export const RESENT_EVENT = object(
  {
    ...EVENT_FIELDS,
    deliveries: list(DUE_DELIVERY, 'One for each receiver to which the event is sent.'),
  },
  { name: 'ResentEvent', description: 'An event with the deliveries that are due now.' },
);

export function eventWithDeliveriesJson(event: Event, attempts: readonly Attempt[]): string {
  return withDeliveries(event, attempts.map(deliveryView));
}

export function resentEventJson({ event, recipients, dueAt }: ResentEvent): string {
  const due = recipients.map(({ endpoint, attempts }): ValueOf<typeof DUE_DELIVERY> => {
    return {
      webhook_endpoint: endpoint,
      attempt: attempts + 1,
      next_attempt_at: Math.floor(dueAt / 1000),
    };
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
