/** Decides when a request is sent again. */

/**
 * The pauses of four retries add up to about three seconds, which is longer than a restart of the
 * service.
 */
export const MAX_RETRIES = 4;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** If the service asks for a longer pause, the client throws the error instead of waiting. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Retries 429 and 5xx. Retries a 409 only if the service's next step is `retry`, as it is while the
 * first request with the same key is still running. Another 409 would not go away.
 */
export function isWorthRetrying(status: number, nextStep: string | undefined): boolean {
  return status === 429 || status >= 500 || (status === 409 && nextStep === 'retry');
}

/**
 * The pause after this many attempts, in milliseconds, or undefined if the service asks for a pause
 * that is too long.
 */
export function pauseAfter(
  attempts: number,
  retryAfter: string | null,
  random = Math.random,
): number | undefined {
  const requested = millisecondsOf(retryAfter);
  if (requested > LONGEST_RETRY_AFTER_MS) return undefined;
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  // Half of the pause is random, so that clients that failed together do not retry together.
  return requested + ceiling / 2 + (random() * ceiling) / 2;
}

/** Retry-After is in seconds or a date. Anything else counts as 0. */
function millisecondsOf(retryAfter: string | null): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const wait = Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.max(wait, 0);
}
