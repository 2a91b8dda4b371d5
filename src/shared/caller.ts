export const MODES = ['test', 'live'] as const;
export type Mode = (typeof MODES)[number];

/** The ledger is the component that owns payments. It acts on one mode of all organizations. */
export interface Ledger {
  readonly mode: Mode;
}

/**
 * The owner of the data that an operation may read and change. Every repository method takes it
 * first.
 */
export interface Caller {
  readonly organization: string;
  readonly mode: Mode;
}

export interface OwnedFilter {
  readonly organization?: string | undefined;
  readonly resource?: string | undefined;
}

/** A ledger without an organization lists the rows of all organizations. */
export type ListedOwner = Ledger & { readonly organization?: string | undefined };

/** Finds the owners of resources that a ledger names by their IDs alone. */
export abstract class Owners {
  abstract find(ledger: Ledger, id: string): Promise<Caller | undefined>;
  /**
   * Returns the caller that may change the resource: the organization that the ledger names, or
   * else its owner. Refuses with not_found.
   */
  abstract of(ledger: Ledger, id: string, organization?: string | null): Promise<Caller>;
  /**
   * Returns whose rows are listed: those of the organization that the ledger names, those of the
   * owner of the resource by which it filters, or those of all. Returns undefined if nobody has the
   * resource.
   */
  abstract listed(ledger: Ledger, filter: OwnedFilter): Promise<ListedOwner | undefined>;
}

/**
 * The requester is a key and its holder, and the person whom the request names, which nobody has
 * checked.
 */
export interface Requester {
  readonly key: string;
  readonly holder: string;
  readonly actor: string | null;
}

/**
 * The owner of work is an organization in one mode, a ledger for all organizations, or else a named
 * queue. Each gets a fair share of the database.
 */
export type Owner = Caller | Ledger | { readonly queue: string };

export function nameOf(owner: Owner): string {
  if ('queue' in owner) return owner.queue;
  return 'organization' in owner ? `${owner.organization} ${owner.mode}` : `ledger ${owner.mode}`;
}
