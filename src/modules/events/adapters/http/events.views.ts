import { createdAt } from '../../../../shared/id.js';
import type { Attempt } from '../../application/ports.js';
import type { ReadEventResult } from '../../application/read-event.js';
import type { Event } from '../../domain/event.js';

/** Contract section 2: these fields, in this order. */
export function eventView(event: Event) {
  return {
    id: event.id,
    object: 'event',
    type: event.type,
    mode: event.mode,
    created: createdAt(event.id),
    sequence: event.sequence,
    data: { object: JSON.parse(event.data) as unknown },
  };
}

/** The same with what was tried to deliver it. */
export function eventWithDeliveriesView({ event, attempts }: ReadEventResult) {
  return { ...eventView(event), deliveries: attempts.map(deliveryView) };
}

function deliveryView({ attempt, attemptedAt, statusCode, error, durationMs, nextAttemptAt }: Attempt) {
  return {
    attempt,
    attempted_at: Math.floor(attemptedAt / 1000),
    status_code: statusCode,
    error,
    duration_ms: durationMs,
    next_attempt_at: nextAttemptAt === null ? null : Math.floor(nextAttemptAt / 1000),
  };
}
