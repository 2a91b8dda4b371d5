/** The model answers with these bodies, and moves the money of a payment. */
import { readResource, refusal } from './envelope.js';

export interface Expected {
  readonly status: number;
  readonly body: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a body as the service shows it.
export type Resource = any;

interface Change {
  readonly pending?: number;
  readonly refunded?: number;
  readonly onHold?: number;
}

export function account(
  payment: Resource,
  { pending = 0, refunded = 0, onHold = 0 }: Change,
): void {
  payment.amount_pending_refund += pending;
  payment.amount_refunded += refunded;
  payment.amount_on_hold += onHold;
  const held = payment.amount_pending_refund + payment.amount_refunded + payment.amount_on_hold;
  payment.amount_refundable = payment.amount - held;
}

export function refused(
  code: string,
  next: Parameters<typeof refusal>[1],
  error: Parameters<typeof refusal>[2][number],
) {
  return { status: 422, body: refusal(code, next, [error]) };
}

export function expire(session: Resource): Expected {
  const read = readResource(`/v1/checkout_sessions/${session.id}`);
  if (session.status !== 'open')
    return refused('session_not_open', read, { param: 'id', code: 'invalid_value' });
  session.status = 'expired';
  return { status: 200, body: session };
}

export function complete(session: Resource): Expected {
  const read = readResource(`/v1/checkout_sessions/${session.id}`);
  if (session.status !== 'open' || session.amount_total > 0) {
    return refused('payment_required', read, { param: 'id', code: 'invalid_value' });
  }
  session.status = 'complete';
  return { status: 200, body: session };
}

/**
 * Moves the end of the session to the moment when it was made, which changes an open session
 * only.
 */
export function elapse(session: Resource): void {
  session.expires_at = session.created_at;
  if (session.status === 'open') session.status = 'expired';
}
