/**
 * The model has the money in memory as it should move. It knows the whole answer to each request,
 * and what the request leaves behind. It is simple on purpose, with one status, three amounts, and
 * no clock but those that the test turns.
 */
import { expect } from '@jest/globals';
import type { Mode } from '../../src/shared/caller.js';
import { readResource } from './envelope.js';
import { account, type Expected, type Resource, refused } from './model-answers.js';
import { ModelClaims } from './model-claims.js';

export class Model {
  constructor(
    private readonly organization: string,
    readonly mode: Mode,
  ) {}

  /** The clock of the shop is so many seconds ahead of real time. */
  ahead = 0;
  readonly sessions: Resource[] = [];
  readonly payments: Resource[] = [];
  readonly refunds: Resource[] = [];
  readonly holds: Resource[] = [];
  private readonly claims = new ModelClaims();
  /** The map has for each refund that was made elsewhere the provider's ID of its payout. */
  readonly payouts = new Map<string, string>();

  /** Takes a session's answer as it comes, except for the parts on which the rest depends. */
  session(total: number): Expected {
    const payment_status = total === 0 ? 'no_payment_required' : 'unpaid';
    const body = { status: 'open', payment_status, currency: 'usd', amount_total: total };
    return { status: 201, body: expect.objectContaining({ id: this.newId('cs'), ...body }) };
  }

  payment(amount: number, session: string | null = null, mismatch: string | null = null): Expected {
    const none = {
      amount_refunded: 0,
      amount_pending_refund: 0,
      amount_on_hold: 0,
      amount_refundable: amount,
    };
    const facts = {
      object: 'payment',
      mode: this.mode,
      amount,
      ...none,
      currency: 'usd',
      checkout_session: session,
      mismatch,
    };
    return { status: 201, body: { id: this.newId('pay'), ...facts, created: expect.any(Number) } };
  }

  pay(session: Resource, amount: number, onMismatch: 'refuse' | 'record' = 'refuse'): Expected {
    const mismatch = session.status === 'open' ? 'amount' : `session_${session.status}`;
    const fits = session.status === 'open' && amount === session.amount_total;
    if (!fits && onMismatch === 'record') return this.payment(amount, session.id, mismatch);
    const read = readResource(
      `/ledger/v1/checkout_sessions/${session.id}?organization=${this.organization}`,
    );
    if (session.status !== 'open') {
      return refused('session_not_open', read, {
        param: 'checkout_session',
        code: 'invalid_value',
      });
    }
    if (amount !== session.amount_total) {
      const allowed = [String(session.amount_total)];
      return refused('payment_session_mismatch', read, {
        param: 'amount',
        code: 'amount_mismatch',
        allowed,
      });
    }
    Object.assign(session, { status: 'complete', payment_status: 'paid' });
    return this.payment(amount, session.id);
  }

  /** Moves the clock, and does what became due. */
  advance(seconds: number): Expected {
    this.ahead += seconds;
    for (const session of this.sessions) {
      if (session.status === 'open' && session.expires_at <= this.now()) session.status = 'expired';
    }
    return {
      status: 200,
      body: { object: 'test_helpers.clock', now: expect.any(Number), ahead_seconds: this.ahead },
    };
  }

  /** Returns the time in Unix seconds. */
  now(): number {
    return Math.floor(Date.now() / 1000) + this.ahead;
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
    const facts = {
      object: 'refund',
      amount,
      currency: 'usd',
      status: 'pending',
      payment: payment.id,
    };
    return { status: 201, body: { id: this.newId('re'), ...facts, created: expect.any(Number) } };
  }

  record(payment: Resource, amount: number, payout: string): Expected {
    const known = this.refunds.find(({ id }) => this.payouts.get(id) === payout);
    const left = payment.amount_refundable;
    if (known && (known.payment !== payment.id || known.amount !== amount)) {
      const read = readResource(`/ledger/v1/refunds/${known.id}`);
      return refused('refund_reference_reused', read, {
        param: 'provider_reference',
        code: 'invalid_value',
      });
    }
    if (known) return { status: 200, body: this.owned(known) };
    if (amount > left) {
      const lower = { type: 'lower_amount', path: '/ledger/v1/refunds', method: 'POST' };
      const error = { param: 'amount', code: 'too_large', allowed: [String(left)] };
      return refused('refund_exceeds_remaining', lower, error);
    }
    account(payment, { refunded: amount });
    const facts = {
      object: 'refund',
      amount,
      currency: 'usd',
      status: 'succeeded',
      payment: payment.id,
    };
    const made = this.owned({ id: this.newId('re'), ...facts, created: expect.any(Number) });
    return { status: 201, body: { ...made, provider_reference: payout } };
  }

  hold(payment: Resource, amount: number | undefined): Expected {
    const left = payment.amount_refundable;
    const ledgers = `/ledger/v1/payments/${payment.id}`;
    if (left === 0) {
      const read = readResource(`${ledgers}?organization=${this.organization}`);
      return refused('payment_not_refundable', read, { param: 'id', code: 'invalid_value' });
    }
    if (amount !== undefined && amount > left) {
      const lower = { type: 'lower_amount', path: `${ledgers}/holds`, method: 'POST' };
      return refused('hold_exceeds_remaining', lower, {
        param: 'amount',
        code: 'too_large',
        allowed: [String(left)],
      });
    }
    account(payment, { onHold: amount ?? left });
    const facts = {
      object: 'payment.hold',
      organization: this.organization,
      mode: this.mode,
      payment: payment.id,
    };
    const set = { amount: amount ?? left, reason: null, reference: null, status: 'active' };
    return {
      status: 201,
      body: { id: expect.stringMatching(/^hold_/), ...facts, ...set, created: expect.any(Number) },
    };
  }

  releaseHold(hold: Resource): Expected {
    if (hold.status === 'active') {
      const payment = this.payments.find(({ id }) => id === hold.payment);
      account(payment, { onHold: -hold.amount });
      hold.status = 'released';
    }
    return { status: 200, body: hold };
  }

  /** Returns the refund as the ledger sees it. */
  owned(refund: Resource) {
    const { number, isLive } = this.claims.of(refund);
    const claim = isLive ? { number, expires_at: expect.any(Number) } : null;
    const { id, object, ...rest } = refund;
    const provider_reference = this.payouts.get(id) ?? null;
    const unset = { reference: null, description: null, provider_reference, reason: null };
    return {
      id,
      object,
      organization: this.organization,
      ...rest,
      claim,
      ...unset,
      approval: 'not_needed',
    };
  }

  /**
   * Returns the refunds that the next claim takes. Refunds that were never claimed come first, and
   * then those that have waited longest since their last claim.
   */
  claim(limit: number): Resource[] {
    const free = this.refunds.filter((refund) => {
      const { isLive, isLapsed = false } = this.claims.of(refund);
      return refund.status === 'pending' && (!isLive || isLapsed);
    });
    const since = (refund: Resource) => this.claims.of(refund).freeSince ?? 0;
    const taken = free.toSorted((one, other) => since(one) - since(other)).slice(0, limit);
    for (const refund of taken) this.claims.take(refund);
    return this.refunds
      .filter((refund) => taken.includes(refund))
      .map((refund) => this.owned(refund));
  }

  /** Ends the lease of a claim, which only another claim notices. */
  lapse(refund: Resource): void {
    this.claims.lapse(refund);
  }

  /** Releases or extends a claim, with its number or another one. */
  underClaim(refund: Resource, action: 'release' | 'extend', claim: number): Expected {
    const { number, isLive } = this.claims.of(refund);
    if (refund.status !== 'pending') return this.notPending(refund);
    const isRepeated = action === 'release' && !isLive && number === claim;
    if (!isRepeated && (!isLive || number !== claim)) return this.claimed(refund, 'invalid_value');
    if (!isRepeated) this.claims.renew(refund, action === 'extend');
    return { status: 200, body: this.owned(refund) };
  }

  return(refund: Resource): Expected {
    if (refund.status === 'succeeded') {
      const payment = this.payments.find(({ id }) => id === refund.payment);
      account(payment, { refunded: -refund.amount });
      refund.status = 'failed';
    }
    if (refund.status === 'failed') return { status: 200, body: this.owned(refund) };
    const read = readResource(`/ledger/v1/refunds/${refund.id}`);
    return refused('refund_not_succeeded', read, { param: 'id', code: 'invalid_value' });
  }

  private newId(prefix: string) {
    return expect.stringMatching(new RegExp(`^${prefix}_${this.mode}_[0-9a-z]{26}$`));
  }

  private notPending(refund: Resource): Expected {
    const read = readResource(`/ledger/v1/refunds/${refund.id}`);
    return refused('refund_not_pending', read, { param: 'id', code: 'invalid_value' });
  }

  private claimed(refund: Resource, code: string): Expected {
    const read = readResource(`/ledger/v1/refunds/${refund.id}`);
    return refused('refund_claimed', read, { param: 'claim', code });
  }

  /**
   * Decides about a refund. The ledger may repeat its own decision, and everything else needs a
   * pending refund.
   */
  settle(refund: Resource, status: 'succeeded' | 'failed' | 'canceled', claim?: number): Expected {
    const seen = () => (status === 'canceled' ? refund : this.owned(refund));
    if (refund.status === status && status !== 'canceled') return { status: 200, body: seen() };
    const path = `/v1/refunds/${refund.id}`;
    const read = readResource(status === 'canceled' ? path : `/ledger${path}`);
    if (refund.status !== 'pending')
      return refused('refund_not_pending', read, { param: 'id', code: 'invalid_value' });
    const { number, isLive } = this.claims.of(refund);
    if (status === 'canceled' && isLive) {
      return refused('refund_in_progress', read, { param: 'id', code: 'invalid_value' });
    }
    if (status === 'failed' && (isLive || claim !== undefined) && !(isLive && claim === number)) {
      return this.claimed(refund, claim === undefined ? 'required' : 'invalid_value');
    }
    this.claims.end(refund);
    const payment = this.payments.find(({ id }) => id === refund.payment);
    account(payment, {
      pending: -refund.amount,
      refunded: status === 'succeeded' ? refund.amount : 0,
    });
    refund.status = status;
    return { status: 200, body: seen() };
  }
}
