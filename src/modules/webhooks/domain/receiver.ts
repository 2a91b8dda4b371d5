import { NO_ORGANIZATION } from '../../../shared/id.js';
import { hostOf } from '../../../shared/webhook-urls.js';

const SECOND = 1_000;
const FIRST_REST = 5 * SECOND;
const LONGEST_REST = 5 * 60 * SECOND;
/** After this time without an attempt, a receiver's state is dropped. */
const REMEMBERED = 60 * 60 * SECOND;
const MAX_REMEMBERED = 10_000;

/** Concurrent attempts to a receiver: many if it responds, a few if it is unknown, one if it fails. */
export const RESPONDING_AT_ONCE = 16;
const UNKNOWN_AT_ONCE = 4;
const FAILING_AT_ONCE = 1;

/** Stored before the name of a ledger's receiver. No host contains a space. */
const OF_LEDGER = 'ledger ';

export interface DueReceiver {
  readonly organization: string;
  /** The owner of the receiver, from whose share its attempts are taken: the organization, or NO_ORGANIZATION for the ledger. */
  readonly owner: string;
  /** Host and port in canonical form. */
  readonly receiver: string;
  /** The receiver's stored name: host and port as the URL has them, with a prefix for the ledger's. */
  readonly stored: string;
}

export function storedReceiver(url: string, isLedgers = false): string {
  return isLedgers ? `${OF_LEDGER}${hostOf(url)}` : hostOf(url);
}

export function dueReceiver(organization: string, stored: string): DueReceiver {
  if (!stored.startsWith(OF_LEDGER))
    return { organization, owner: organization, receiver: canonicalReceiver(stored), stored };
  return { organization, owner: NO_ORGANIZATION, receiver: canonicalReceiver(stored.slice(OF_LEDGER.length)), stored };
}

/** The canonical form of the host and port of an https URL: `127.1` and `0x7f.1:443` are `127.0.0.1:443`. */
export function canonicalReceiver(stored: string): string {
  if (!URL.canParse(`https://${stored}`)) return stored;
  const { hostname, port } = new URL(`https://${stored}`);
  return `${hostname.replace(/\.$/, '')}:${port || '443'}`;
}

interface Health {
  readonly failures: number;
  readonly restsFrom: number;
  readonly restsUntil: number;
}

/**
 * A circuit breaker for each receiver. After an attempt without a response, the receiver gets one attempt at a time. From the
 * second such attempt on it rests after each, twice as long as before. Any response ends this.
 */
export class ReceiverHealth {
  /** In the order of the last attempt. Bounded: a dropped receiver counts as unknown. */
  private readonly known = new Map<string, Health>();

  /** A failure of an attempt that began before the last failure says nothing new: attempts at once count as one. */
  record(receiver: string, hasResponded: boolean, began: number, now: number): void {
    const before = this.known.get(receiver);
    if (before && before.failures > 0 && !hasResponded && began < before.restsFrom) return;
    this.known.delete(receiver);
    this.known.set(receiver, hasResponded ? { failures: 0, restsFrom: now, restsUntil: now } : failed(before, now));
    for (const [oldest, { restsUntil }] of this.known) {
      if (this.known.size <= MAX_REMEMBERED && restsUntil + REMEMBERED > now) break;
      this.known.delete(oldest);
    }
  }

  forget(receiver: string): void {
    this.known.delete(receiver);
  }

  forgetAll(prefix: string): void {
    for (const name of this.known.keys()) if (name.startsWith(prefix)) this.known.delete(name);
  }

  isFailing(receiver: string): boolean {
    return (this.known.get(receiver)?.failures ?? 0) > 0;
  }

  /** How many concurrent attempts the receiver may have; none while it rests. */
  atOnce(receiver: string, now: number): number {
    const health = this.known.get(receiver);
    if (!health) return UNKNOWN_AT_ONCE;
    if (health.failures === 0) return RESPONDING_AT_ONCE;
    // If the clock was set back to before the rest began, the rest is over.
    const isResting = health.restsFrom <= now && now < health.restsUntil;
    return isResting ? 0 : FAILING_AT_ONCE;
  }
}

function failed(before: Health | undefined, now: number): Health {
  const failures = (before?.failures ?? 0) + 1;
  const rest = failures === 1 ? 0 : Math.min(FIRST_REST * 2 ** (failures - 2), LONGEST_REST);
  return { failures, restsFrom: now, restsUntil: now + rest };
}

/** The name of the receiver's breaker. Owners do not share one for the same host. */
export function nameOf({ owner, receiver }: DueReceiver): string {
  return `${owner} ${receiver}`;
}
