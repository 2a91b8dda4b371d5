/**
 * The money as it should move, in memory: what each request must answer, whole, and what it leaves behind. Deliberately
 * naive: one status, three amounts, no clock but the one the test turns.
 */
import { expect } from '@jest/globals';
import { readResource, refusal } from './refused-answer.js';

export interface Expected {
  readonly status: number;
  readonly body: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a body as the service shows it.
type Resource = any;

const newId = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_test_[0-9a-z]{26}$`));

export class Model {
  constructor(private readonly organization: string) {}

  readonly sessions: Resource[] = [];
  readonly payments: Resource[] = [];
  readonly refunds: Resource[] = [];

  /** A session's answer is taken as it comes, but for what the rest depends on. */
  session(total: number): Expected {
    const body = { status: 'open', payment_status: 'unpaid', currency: 'usd', amount_total: total };
    return { status: 201, body: expect.objectContaining({ id: newId('cs'), ...body }) };
  }

  payment(amount: number, session: string | null = null): Expected {
    const none = { amount_refunded: 0, amount_pending_refund: 0, amount_refundable: amount };
    const facts = { object: 'payment', mode: 'test', amount, ...none, currency: 'usd', checkout_session: session };
    return { status: 201, body: { id: newId('pay'), ...facts, created: expect.any(Number) } };
  }

  pay(session: Resource, amount: number): Expected {
    const read = readResource(`/ledger/v1/checkout_sessions/${session.id}?organization=${this.organization}`);
    if (session.status !== 'open') {
      return refused('session_not_open', read, { param: 'checkout_session', code: 'invalid_value' });
    }
    if (amount !== session.amount_total) {
      const allowed = [String(session.amount_total)];
      return refused('payment_session_mismatch', read, { param: 'amount', code: 'amount_mismatch', allowed });
    }
    Object.assign(session, { status: 'complete', payment_status: 'paid' });
    return this.payment(amount, session.id);
  }

  expire(session: Resource): Expected {
    const read = readResource(`/v1/checkout_sessions/${session.id}`);
    if (session.status !== 'open') return refused('session_not_open', read, { param: 'id', code: 'invalid_value' });
    session.status = 'expired';
    return { status: 200, body: session };
  }

  /** Its time is moved to the moment it was made. Only an open session minds. */
  elapse(session: Resource): void {
    session.expires_at = session.created_at;
    if (session.status === 'open') session.status = 'expired';
  }

  propose(payment: Resource, amount: number): Expected {
    const left = payment.amount_refundable;
    if (left === 0) {
      const read = readResource(`/v1/payments/${payment.id}`);
      return refused('payment_not_refundable', read, { param: 'payment', code: 'invalid_value' });
    }
    if (amount > left) {
      const lower = { type: 'lower_amount', path: '/v1/refunds', method: 'POST' };
      const error = { param: 'amount', code: 'too_large', allowed: [String(left)] };
      return refused('refund_exceeds_remaining', lower, error);
    }
    account(payment, { pending: amount });
    const facts = { object: 'refund', amount, currency: 'usd', status: 'pending', payment: payment.id };
    return { status: 201, body: { id: newId('re'), ...facts, created: expect.any(Number) } };
  }

  /** What the ledger repeats is answered again; everything else needs a pending refund. */
  settle(refund: Resource, status: 'succeeded' | 'failed' | 'canceled'): Expected {
    if (refund.status === status && status !== 'canceled') return { status: 200, body: refund };
    const path = `/v1/refunds/${refund.id}`;
    const read = readResource(status === 'canceled' ? path : `/ledger${path}`);
    if (refund.status !== 'pending') return refused('refund_not_pending', read, { param: 'id', code: 'invalid_value' });
    const payment = this.payments.find(({ id }) => id === refund.payment);
    account(payment, { pending: -refund.amount, refunded: status === 'succeeded' ? refund.amount : 0 });
    refund.status = status;
    return { status: 200, body: refund };
  }
}

function account(payment: Resource, { pending, refunded = 0 }: { pending: number; refunded?: number }): void {
  payment.amount_pending_refund += pending;
  payment.amount_refunded += refunded;
  payment.amount_refundable = payment.amount - payment.amount_pending_refund - payment.amount_refunded;
}

function refused(code: string, next: Parameters<typeof refusal>[1], error: Parameters<typeof refusal>[2][number]) {
  return { status: 422, body: refusal(code, next, [error]) };
}
