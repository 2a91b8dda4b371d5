/** When to send the same request again. */

/** Four more attempts pause for about four seconds in all: longer than a restart, shorter than a person's patience. */
export const MAX_RETRIES = 4;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** Told to wait longer than this, a caller would rather know. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Too many requests, and faults of the service or of what stands before it. A conflict only if the service itself says that
 * it passes, as it does while the first request of a key still runs: any other would be the same the next time.
 */
export function isWorthRetrying(status: number, nextStep: string | undefined): boolean {
  return status === 429 || status >= 500 || (status === 409 && nextStep === 'retry');
}

/** How long to wait after this many attempts, or undefined if it is too long to wait at all. */
export function pauseAfter(attempts: number, retryAfter: string | null, random = Math.random): number | undefined {
  const told = millisecondsOf(retryAfter);
  if (told > LONGEST_RETRY_AFTER_MS) return undefined;
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  // Half of it is left to chance, so that clients that failed together do not come back together.
  return told + ceiling / 2 + (random() * ceiling) / 2;
}

/** Seconds or a date; nothing to wait for where it is neither. */
function millisecondsOf(retryAfter: string | null): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const wait = Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.max(wait, 0);
}
