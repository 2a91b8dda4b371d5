import { NO_ORGANIZATION } from '../../../shared/id.js';
import { hostOf } from '../../../shared/web-url.js';

/** This prefix is stored before the name of a ledger's receiver. No host contains a space. */
const OF_LEDGER = 'ledger ';

export interface DueReceiver {
  readonly organization: string;
  /**
   * The attempts are taken from the share of this owner: the organization, or NO_ORGANIZATION for
   * the ledger.
   */
  readonly owner: string;
  /** This is the host and port in canonical form. */
  readonly receiver: string;
  /**
   * This is the receiver's stored name: host and port as the URL has them, with a prefix for the
   * ledger's.
   */
  readonly stored: string;
}

export function storedReceiver(url: string, isLedgers = false): string {
  return isLedgers ? `${OF_LEDGER}${hostOf(url)}` : hostOf(url);
}

export function dueReceiver(organization: string, stored: string): DueReceiver {
  if (!stored.startsWith(OF_LEDGER))
    return { organization, owner: organization, receiver: canonicalReceiver(stored), stored };
  return {
    organization,
    owner: NO_ORGANIZATION,
    receiver: canonicalReceiver(stored.slice(OF_LEDGER.length)),
    stored,
  };
}

/**
 * Returns the canonical form of the host and port of an https URL: `127.1` and `0x7f.1:443` are
 * `127.0.0.1:443`.
 */
export function canonicalReceiver(stored: string): string {
  if (!URL.canParse(`https://${stored}`)) return stored;
  const { hostname, port } = new URL(`https://${stored}`);
  return `${hostname.replace(/\.$/, '')}:${port || '443'}`;
}

/** The name includes the owner, because owners do not share what is known of the same host. */
export function nameOf({ owner, receiver }: DueReceiver): string {
  return `${owner} ${receiver}`;
}
