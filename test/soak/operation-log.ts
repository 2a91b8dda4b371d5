/** The requests and answers of a soak, which the checker compares with the service. */

// biome-ignore lint/suspicious/noExplicitAny: the checker examines each body itself.
export type Json = any;

export interface Tenant {
  readonly organization: string;
  readonly mode: string;
  readonly key: string;
  readonly ledgerKey: string;
}

/** A write with its final answer. */
export interface Acknowledged {
  readonly tenant: Tenant;
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly status: number;
  readonly text: string;
}

/** Holds everything that happened, for the checker. */
export class OperationLog {
  readonly acknowledged: Acknowledged[] = [];
  readonly violations: string[] = [];
  reads = 0;
  replays = 0;
  /** Counts the attempts without an answer, and the attempts with a 409 or 503. */
  unanswered = 0;
  unavailable = 0;
  /** Holds the longest time in which nobody got a final answer. */
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

/**
 * No request may take longer than this, because a connection that carries nothing must not hold a
 * client for ever.
 */
const PATIENCE_MS = 15_000;
export interface Sent {
  readonly key: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string;
}

/** Makes one attempt. Returns undefined if it got no answer, or none that is final. */
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
