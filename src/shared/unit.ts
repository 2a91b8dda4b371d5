import type { Caller, Ledger } from './caller.js';
import type { Moment } from './clock.js';
import { Refusal, SERVICE_UNAVAILABLE } from './errors.js';

declare const OPEN: unique symbol;

export const AUTHOR_WAYS = ['api', 'command_line'] as const;

/** The author is who asked for the work: the holder of a key, or the user of a command. */
export interface Author {
  readonly via: (typeof AUTHOR_WAYS)[number];
  /** This is the ID of the key. It is null for a command. */
  readonly key: string | null;
  readonly holder: string;
}

/**
 * A unit's work is written together, or not at all. A port's method that takes a unit adds its
 * writes to it, and reads rows that the unit has locked. The unit has the time of its owner, which
 * is read once.
 */
export interface Work extends Moment {
  readonly [OPEN]: true;
  /** This is undefined if nobody asked for the work, as for that of a sweeper. */
  readonly by: Author | undefined;
  /** Registers an effect that runs once the unit is committed. It must not throw. */
  afterCommit(effect: () => void): void;
}

/** The unit of work of a caller. It is a caller too, so that reads take it. */
export type Unit = Caller & Work;
/** This is the unit of a ledger, which works for all organizations. */
export type LedgerUnit = Ledger & Work;

/**
 * The state changed since it was read. The unit is dropped, and the use case runs again with
 * another one.
 */
export class Stale extends Refusal {
  constructor() {
    super(SERVICE_UNAVAILABLE, 'Too many changes of the same resource at once.');
  }
}
