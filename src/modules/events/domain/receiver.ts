const SECOND = 1_000;
const FIRST_REST = 5 * SECOND;
const LONGEST_REST = 5 * 60 * SECOND;
/** A receiver that nothing was sent to for so long is a stranger again. */
const REMEMBERED = 60 * 60 * SECOND;
const MAX_REMEMBERED = 10_000;

/** Attempts at once: many when it answers, a few when nothing is known of it, one to ask whether it is back. */
const ANSWERING_AT_ONCE = 16;
const UNKNOWN_AT_ONCE = 4;
const FAILING_AT_ONCE = 1;

/** Before a receiver of the ledger, as it is stored: no host has a space. */
const OF_LEDGER = 'ledger ';

export interface DueReceiver {
  /** Whose events are due. */
  readonly organization: string;
  /** Whose receiver it is, and whose share of the attempts it uses: the organization's, or the ledger's. */
  readonly owner: string;
  /** The host and port in one spelling: what is slow or dead. */
  readonly receiver: string;
  /** As it is stored. */
  readonly spelled: string;
}

/** Host and port as a URL spells them, and as they are stored. */
export function spelledReceiver(url: string, isLedgers = false): string {
  const host = (/:\/\/(?:[^/?#]*@)?([^/?#]+)/.exec(url)?.[1] ?? '').toLowerCase();
  return isLedgers ? `${OF_LEDGER}${host}` : host;
}

/** The receiver that is stored so, for events of the organization. */
export function dueReceiver(organization: string, spelled: string): DueReceiver {
  if (!spelled.startsWith(OF_LEDGER))
    return { organization, owner: organization, receiver: canonicalReceiver(spelled), spelled };
  return { organization, owner: 'ledger', receiver: canonicalReceiver(spelled.slice(OF_LEDGER.length)), spelled };
}

/** One spelling for each host and port: `127.1` and `0x7f.1:443` are `127.0.0.1:443`. Takes what a URL has between `//` and `/`. */
export function canonicalReceiver(spelled: string): string {
  if (!URL.canParse(`https://${spelled}`)) return spelled;
  const { hostname, port } = new URL(`https://${spelled}`);
  return `${hostname.replace(/\.$/, '')}:${port || '443'}`;
}

interface Health {
  readonly failures: number;
  readonly restsFrom: number;
  readonly restsUntil: number;
}

/**
 * A circuit breaker for each receiver. The first attempt without an answer leaves it one attempt at a time, each further
 * one a rest twice as long as the one before, and one attempt after the rest asks whether it is back. Any answer ends it.
 */
export class ReceiverHealth {
  /** In the order of the last attempt. Bounded: what is forgotten is a stranger, which is tried carefully. */
  private readonly known = new Map<string, Health>();

  /** `now` is in milliseconds, of a clock that may be set. */
  record(receiver: string, hasAnswered: boolean, now: number): void {
    const before = this.known.get(receiver);
    this.known.delete(receiver);
    this.known.set(receiver, hasAnswered ? { failures: 0, restsFrom: now, restsUntil: now } : failed(before, now));
    for (const [oldest, { restsUntil }] of this.known) {
      if (this.known.size <= MAX_REMEMBERED && restsUntil + REMEMBERED > now) break;
      this.known.delete(oldest);
    }
  }

  /** Of a receiver that somebody says is back. */
  forget(receiver: string): void {
    this.known.delete(receiver);
  }

  /** Whoever's name begins so is a stranger again: time has passed for them. */
  forgetAll(beginning: string): void {
    for (const name of this.known.keys()) if (name.startsWith(beginning)) this.known.delete(name);
  }

  isFailing(receiver: string): boolean {
    return (this.known.get(receiver)?.failures ?? 0) > 0;
  }

  /** How many attempts it may have at once; none while it rests. */
  atOnce(receiver: string, now: number): number {
    const health = this.known.get(receiver);
    if (!health) return UNKNOWN_AT_ONCE;
    if (health.failures === 0) return ANSWERING_AT_ONCE;
    // A clock that was set back must not make the rest longer.
    const isResting = health.restsFrom <= now && now < health.restsUntil;
    return isResting ? 0 : FAILING_AT_ONCE;
  }
}

function failed(before: Health | undefined, now: number): Health {
  const failures = (before?.failures ?? 0) + 1;
  const rest = failures === 1 ? 0 : Math.min(FIRST_REST * 2 ** (failures - 2), LONGEST_REST);
  return { failures, restsFrom: now, restsUntil: now + rest };
}

/** The breaker of one owner says nothing about another's use of the same host. */
export function nameOf({ owner, receiver }: DueReceiver): string {
  return `${owner} ${receiver}`;
}
