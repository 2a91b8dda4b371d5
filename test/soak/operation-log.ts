/** Requests and answers of a soak: one side of the checker's comparison. */

// biome-ignore lint/suspicious/noExplicitAny: the checker finds out what a body is; a type would claim to know.
export type Json = any;

export interface Tenant {
  readonly organization: string;
  readonly mode: string;
  readonly key: string;
  readonly ledgerKey: string;
}

/** A write and the answer that stays. */
export interface Acknowledged {
  readonly tenant: Tenant;
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly status: number;
  readonly text: string;
}

/** Everything that happened, for the checker. */
export class OperationLog {
  readonly acknowledged: Acknowledged[] = [];
  readonly violations: string[] = [];
  reads = 0;
  replays = 0;
  /** Attempts without an answer, and those with a 409 or 503. */
  unanswered = 0;
  unavailable = 0;
  /** The longest time in which nobody was answered for good. */
  longestSilenceMs = 0;
  answers = 0;
  private lastAnswerAt = performance.now();

  get figures() {
    const { reads, replays, unanswered, unavailable, longestSilenceMs } = this;
    return {
      acknowledged: this.acknowledged.length,
      reads,
      replays,
      unanswered,
      unavailable,
      longestSilenceMs,
    };
  }

  answered(): void {
    this.answers += 1;
    const now = performance.now();
    this.longestSilenceMs = Math.max(this.longestSilenceMs, Math.round(now - this.lastAnswerAt));
    this.lastAnswerAt = now;
  }
}

/** Longer than any request may take; a black hole must not hold a client for ever. */
const PATIENCE_MS = 15_000;
export interface Sent {
  readonly key: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string;
}

/** One attempt: undefined if it was not answered, or not for good. */
export async function attempt(log: OperationLog, url: string, { key, body, idempotencyKey }: Sent) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const write = idempotencyKey && { method: 'POST', body: body ?? '' };
  try {
    const response = await fetch(url, {
      ...write,
      headers: { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer = { status: response.status, text: await response.text() };
    if ([408, 409, 503].includes(answer.status)) log.unavailable += 1;
    else if (answer.status >= 500)
      log.violations.push(`${url} was answered ${answer.status}: ${answer.text}`);
    else return answer;
  } catch {
    log.unanswered += 1;
  }
  return undefined;
}
