/** When a webhook is tried again: the schedule of the Standard Webhooks specification, each delay after the attempt before. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
export const MAX_ATTEMPTS = DELAYS.length + 1;
/** Receivers that failed together must not all be asked again in the same second. */
const JITTER = 0.1;
/** A receiver may ask for patience, but not put its events off for ever. */
const MAX_RETRY_AFTER = 24 * HOUR;

export type DeliveryOutcome = 'delivered' | 'gone' | 'given_up' | 'canceled';

/** What came of one attempt. Without a status there was no answer, and `error` says why. */
export interface AttemptResult {
  readonly statusCode: number | null;
  readonly error: string | null;
  /** The Retry-After header as it came. */
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/** What follows from an attempt: an outcome, or the instant (milliseconds) of the next attempt. */
export interface Verdict {
  readonly outcome: DeliveryOutcome | null;
  readonly nextAttemptAt: number | null;
}

/** What came of an attempt. It shows the time that its organization lives in; what is due is due in real time. */
export interface MadeAttempt extends AttemptResult, Verdict {
  readonly attemptedAt: number;
  readonly dueAt: number | null;
}

export function isSuccess({ statusCode }: AttemptResult): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/** `attempt` counts from 1, `now` is in milliseconds. */
export function verdictOn(attempt: number, result: AttemptResult, now: number, random = Math.random): Verdict {
  if (isSuccess(result)) return { outcome: 'delivered', nextAttemptAt: null };
  if (result.statusCode === 410) return { outcome: 'gone', nextAttemptAt: null };
  const delay = DELAYS[attempt - 1];
  if (delay === undefined) return { outcome: 'given_up', nextAttemptAt: null };
  const scheduled = delay * (1 - JITTER + 2 * JITTER * random());
  return { outcome: null, nextAttemptAt: Math.round(now + Math.max(scheduled, requestedDelay(result, now))) };
}

/** What the receiver asked for in Retry-After: seconds or an HTTP date. */
function requestedDelay({ statusCode, retryAfter }: AttemptResult, now: number): number {
  if (retryAfter === null || (statusCode !== 429 && statusCode !== 503)) return 0;
  const delay = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now;
  return Number.isNaN(delay) ? 0 : Math.min(delay, MAX_RETRY_AFTER);
}
