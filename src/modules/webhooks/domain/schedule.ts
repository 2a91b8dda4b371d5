/**
 * This file decides when a webhook is tried again. The delays between attempts are those of the
 * Standard Webhooks specification.
 */
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
/** A delivery with so many attempts is not sent again, whoever asks for it. */
export const MAX_RESENDABLE = 100;
/** After more claims than this, the processes that made the attempts have died. */
const MAX_CLAIMS = 1_000;
/** The jitter spreads the retries of deliveries that failed at the same time. */
const JITTER = 0.1;
const MAX_RETRY_AFTER = 24 * HOUR;

type DeliveryOutcome = 'delivered' | 'gone' | 'given_up' | 'canceled';

/** `error` tells why there was no response, or why it counts as a failure. */
export interface AttemptResult {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/**
 * This is the decision after an attempt: an outcome, or the time of the next attempt
 * (milliseconds).
 */
export interface Verdict {
  readonly outcome: DeliveryOutcome | null;
  readonly nextAttemptAt: number | null;
}

/**
 * `attemptedAt` and `nextAttemptAt` are by the organization's clock, which may be moved; `dueAt` is
 * the next attempt in real time.
 */
export interface MadeAttempt extends AttemptResult, Verdict {
  readonly attemptedAt: number;
  readonly dueAt: number | null;
}

/** Returns the outcome of a delivery that ends before the attempt with this number, if it does. */
export function outcomeBefore(
  attempt: number,
  isEnabled: boolean,
): 'canceled' | 'given_up' | undefined {
  if (!isEnabled) return 'canceled';
  return attempt > MAX_CLAIMS ? 'given_up' : undefined;
}

export function isSuccess({ statusCode }: AttemptResult): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

export function verdictOn(
  attempt: number,
  result: AttemptResult,
  now: number,
  random = Math.random,
): Verdict {
  if (isSuccess(result)) return { outcome: 'delivered', nextAttemptAt: null };
  if (result.statusCode === 410) return { outcome: 'gone', nextAttemptAt: null };
  const delay = DELAYS[attempt - 1];
  if (delay === undefined) return { outcome: 'given_up', nextAttemptAt: null };
  const scheduled = delay * (1 - JITTER + 2 * JITTER * random());
  return {
    outcome: null,
    nextAttemptAt: Math.round(now + Math.max(scheduled, requestedDelay(result, now))),
  };
}

/** Returns the delay that a 429 or 503 requests in Retry-After, as seconds or an HTTP date. */
function requestedDelay({ statusCode, retryAfter }: AttemptResult, now: number): number {
  if (retryAfter === null || (statusCode !== 429 && statusCode !== 503)) return 0;
  const delay = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * SECOND
    : Date.parse(retryAfter) - now;
  return Number.isNaN(delay) ? 0 : Math.min(delay, MAX_RETRY_AFTER);
}
