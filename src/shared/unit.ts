import type { Caller, Ledger } from './caller.js';
import type { Moment } from './clock.js';
import { Refusal, SERVICE_UNAVAILABLE } from './errors.js';

declare const OPEN: unique symbol;

/**
 * A unit's work is written together, or not at all. A port's method that takes a unit adds its
 * writes to it, and reads rows that the unit has locked. The unit has the time of its owner, which
 * is read once.
 */
export interface Work extends Moment {
  readonly [OPEN]: true;
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
