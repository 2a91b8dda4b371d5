import { NO_ORGANIZATION } from '../../../shared/id.js';
import { hostOf } from '../../../shared/webhook-urls.js';

/** Concurrent attempts to a receiver: many if it responds, a few if it is unknown, one if it fails. */
const RESPONDING_AT_ONCE = 16;
const UNKNOWN_AT_ONCE = 4;
const FAILING_AT_ONCE = 1;
const MAX_REMEMBERED = 10_000;

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

/** Whether receivers responded to their last attempt. A receiver that does not gets one attempt at a time until it does. */
export class ReceiverHealth {
  /** In the order of the last attempt. Bounded: a dropped receiver counts as unknown. */
  private readonly responds = new Map<string, boolean>();

  record(receiver: string, hasResponded: boolean): void {
    this.responds.delete(receiver);
    this.responds.set(receiver, hasResponded);
    const [oldest = ''] = this.responds.keys();
    if (this.responds.size > MAX_REMEMBERED) this.responds.delete(oldest);
  }

  isFailing(receiver: string): boolean {
    return this.responds.get(receiver) === false;
  }

  /** How many concurrent attempts the receiver may have. */
  atOnce(receiver: string): number {
    const responds = this.responds.get(receiver);
    if (responds === undefined) return UNKNOWN_AT_ONCE;
    return responds ? RESPONDING_AT_ONCE : FAILING_AT_ONCE;
  }
}

/** Owners do not share what is known of the same host. */
export function nameOf({ owner, receiver }: DueReceiver): string {
  return `${owner} ${receiver}`;
}
