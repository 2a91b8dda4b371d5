import { CallbackUrls } from '../../../shared/callback-urls.js';
import type { Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import {
  type ErrorCode,
  errorCodes,
  invalidParams,
  paramError,
  Refusal,
  refusal,
} from '../../../shared/errors.js';
import { createdAt, idKind, newId } from '../../../shared/id.js';
import type { Captured, Mismatch } from './captured.js';
import {
  agreedTerms,
  type NewCheckoutSession,
  NO_DETAILS,
  type SessionTerms,
} from './session-terms.js';

export const CHECKOUT_SESSION_ID = idKind('cs', { hasMode: true });

export const SESSION_STATUSES = ['open', 'complete', 'expired'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export const PAYMENT_STATUSES = ['unpaid', 'paid', 'no_payment_required'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const SESSION_EVENTS = {
  'checkout.session.created': 'A checkout session was created.',
  'checkout.session.completed':
    'A checkout session was completed by its payment or, if its total is 0, by request.',
  'checkout.session.expired': 'A checkout session expired, at its `expires_at` or by request.',
  'checkout.session.awaiting_payment':
    'The money for a checkout session is on its way until `expires_at`, or no longer. `reason` ' +
    'is what the ledger said.',
  'checkout.session.redacted':
    'The details of a closed checkout session were removed, here and everywhere else.',
} as const;
export type SessionEvent = keyof typeof SESSION_EVENTS;

export const REFERENCE_IN_USE: ErrorCode = {
  code: 'reference_in_use',
  kind: 'taken',
  meaning:
    'Another session with this `metadata.reference` is open or complete. Use that session, or ' +
    'expire it first if it is open.',
};

export const SESSION_ERRORS = errorCodes('state', {
  session_not_open: 'The session is complete or expired. Read it.',
  session_not_closed:
    'The session is open. Only a complete or expired one is redacted. Expire it first, or wait.',
  payment_session_mismatch:
    'The amount or currency is not that of the session. `errors[].allowed` has the right one.',
  payment_required:
    'Only an open session whose total is 0 is completed without a payment. Read it.',
});

export interface CheckoutSessionState extends SessionTerms {
  readonly id: string;
  readonly mode: Mode;
  readonly status: SessionStatus;
  readonly paymentStatus: PaymentStatus;
  /**
   * This is when the session would have expired, in Unix seconds, while money for it is on its way.
   * Otherwise it is null.
   */
  readonly originalExpiresAt: number | null;
  /** This counts how often the wait for money was changed. */
  readonly awaits: number;
  readonly isRedacted: boolean;
  /**
   * This is the reference that no other session may have while this one is open or complete. It is
   * null where references need not be unique.
   */
  readonly uniqueReference: string | null;
}

const LEAST_REST = 5 * 60;
const LONGEST_WAIT = 30 * 24 * 60 * 60;

/**
 * Refuses a time until which no money can be awaited with invalid_param. Both times are in Unix
 * seconds.
 */
export function requireAwaitable(until: number | null, now: number): void {
  const [least, most] = [now + LEAST_REST, now + LONGEST_WAIT];
  const message = 'until must be in the future, and at most 30 days ahead.';
  if (until !== null && until <= now)
    throw invalidParams([paramError('until', 'too_small', message, [least])]);
  if (until !== null && until > most)
    throw invalidParams([paramError('until', 'too_large', message, [most])]);
}

export const SUMMARY = [
  'id',
  'mode',
  'status',
  'paymentStatus',
  'currency',
  'amountTotal',
] as const;
export type CheckoutSessionSummary = Pick<CheckoutSessionState, (typeof SUMMARY)[number]>;

export const REDACTED = '[redacted]';

export class CheckoutSession {
  private constructor(readonly state: CheckoutSessionState) {}

  /** Opens a new session. Refuses with invalid_param, listing every fault. */
  static open(
    input: NewCheckoutSession,
    mode: Mode,
    now: number | Moment,
    callbackUrls = new CallbackUrls(false),
  ): CheckoutSession {
    const id = newId(CHECKOUT_SESSION_ID, now, mode);
    const terms = agreedTerms(input, mode, createdAt(id), callbackUrls);
    const paymentStatus = terms.amountTotal === 0 ? 'no_payment_required' : 'unpaid';
    const unchanged = {
      originalExpiresAt: null,
      awaits: 0,
      isRedacted: false,
      uniqueReference: null,
    };
    return new CheckoutSession({ id, mode, status: 'open', paymentStatus, ...unchanged, ...terms });
  }

  /**
   * Keeps its reference for this session alone, until it expires. A session without a reference, or
   * with an empty one, stays as it is.
   */
  withUniqueReference(): CheckoutSession {
    const uniqueReference = this.state.metadata.reference || null;
    return new CheckoutSession({ ...this.state, uniqueReference });
  }

  static restore(state: CheckoutSessionState): CheckoutSession {
    return new CheckoutSession(state);
  }

  /**
   * This counts the session's events without its redaction: the first is its creation, the last its
   * completion or expiry.
   */
  get version(): number {
    return (this.state.status === 'open' ? 1 : 2) + this.state.awaits;
  }

  /**
   * Says why the captured amount does not pay the session: the first reason that applies, or null
   * if it pays the session.
   */
  mismatchOf({ amount, currency }: Captured): Mismatch | null {
    const { status, amountTotal } = this.state;
    if (status !== 'open') return `session_${status}`;
    if (amount !== amountTotal) return 'amount';
    return currency === this.state.currency ? null : 'currency';
  }

  /**
   * Completes the session as paid. Refuses unless it is open and both amount and currency are
   * exact.
   */
  pay({ amount, currency }: Captured): CheckoutSession {
    this.requireOpen('checkout_session');
    const mismatches = [
      ...(amount === this.state.amountTotal ? [] : [mismatch('amount', this.state.amountTotal)]),
      ...(currency === this.state.currency ? [] : [mismatch('currency', this.state.currency)]),
    ];
    if (mismatches.length > 0) {
      const message = 'The session has another amount or currency.';
      throw new Refusal(
        SESSION_ERRORS.payment_session_mismatch,
        message,
        mismatches,
        this.state.id,
      );
    }
    return new CheckoutSession({ ...this.state, status: 'complete', paymentStatus: 'paid' });
  }

  /** Completes the session without a payment. Refuses unless it is open and its total is 0. */
  completeFree(): CheckoutSession {
    const { id, status, amountTotal } = this.state;
    if (status === 'open' && amountTotal === 0)
      return new CheckoutSession({ ...this.state, status: 'complete' });
    const message =
      amountTotal === 0
        ? `The session is ${status}, not open.`
        : `The session must be paid: its total is ${amountTotal}.`;
    throw refusal(SESSION_ERRORS.payment_required, paramError('id', 'invalid_value', message), id);
  }

  expire(): CheckoutSession {
    this.requireOpen('id');
    return new CheckoutSession({ ...this.state, status: 'expired' });
  }

  /**
   * Keeps the session open until `until`. With null it ends at its original time, but stays open
   * for 5 minutes at least. Times are in Unix seconds.
   */
  awaitPayment(until: number | null, now: number): CheckoutSession {
    this.requireOpen('id');
    const { expiresAt, originalExpiresAt, awaits } = this.state;
    const isSame =
      until === null
        ? originalExpiresAt === null
        : originalExpiresAt !== null && until === expiresAt;
    if (isSame) return this;
    const original = originalExpiresAt ?? expiresAt;
    const times =
      until === null
        ? { expiresAt: Math.max(original, now + LEAST_REST), originalExpiresAt: null }
        : { expiresAt: until, originalExpiresAt: original };
    return new CheckoutSession({ ...this.state, ...times, awaits: awaits + 1 });
  }

  /**
   * Removes what tells of the customer or the shop from a closed session. A redacted session stays
   * as it is.
   */
  redact(): CheckoutSession {
    const { id, status, isRedacted, lineItems } = this.state;
    if (isRedacted) return this;
    if (status === 'open') {
      const message = 'The session is open. Only a complete or expired session can be redacted.';
      throw refusal(
        SESSION_ERRORS.session_not_closed,
        paramError('id', 'invalid_value', message),
        id,
      );
    }
    const lines = lineItems.map((line) => ({
      ...line,
      productName: REDACTED,
      description: null,
      images: [],
    }));
    const metadata = referenceOf(this.state.metadata);
    return new CheckoutSession({
      ...this.state,
      ...NO_DETAILS,
      metadata,
      lineItems: lines,
      isRedacted: true,
    });
  }

  /** Refuses with session_not_open on `param`, the parameter that held the ID. */
  requireOpen(param: string): void {
    const { status, id } = this.state;
    if (status === 'open') return;
    throw refusal(
      SESSION_ERRORS.session_not_open,
      paramError(param, 'invalid_value', `The session is ${status}, not open.`),
      id,
    );
  }
}

/** Refuses a new session, because the session `id` has its reference. */
export function referenceInUse({
  id,
  status,
}: Pick<CheckoutSessionState, 'id' | 'status'>): Refusal {
  const message = `The session ${id} has this reference, and is ${status}.`;
  return refusal(REFERENCE_IN_USE, paramError('metadata.reference', 'invalid_value', message), id);
}

export function referenceOf({
  reference,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return reference === undefined ? {} : { reference };
}

function mismatch(param: 'amount' | 'currency', expected: string | number) {
  return paramError(param, `${param}_mismatch`, `${param} must be the session's, ${expected}.`, [
    expected,
  ]);
}
