import type { Mode, Owner } from '../shared/caller.js';
import type { Clock } from '../shared/clock.js';
import type { Author, Work } from '../shared/unit.js';
import type { StatementPart } from './batch/batched-write.js';
import type { Transaction } from './transaction.js';

/**
 * A step is a write that is not batched. It is done when the unit is committed, in the order in
 * which it was added.
 */
export type Step = (transaction: Transaction) => Promise<unknown>;

/** This is everything that a unit commits together. */
class Gathered {
  readonly steps: Step[] = [];
  readonly parts: StatementPart[] = [];
  readonly effects: (() => void)[] = [];
  transaction: Promise<Transaction> | undefined;
  isEnded = false;
}

/**
 * An open unit is a unit as persistence sees it. Nothing else looks inside. It is an owner too, so
 * that reads find its transaction.
 */
export class OpenUnit {
  declare readonly organization?: string;
  declare readonly mode?: Mode;
  declare readonly queue?: string;
  private instant: number | undefined;

  constructor(
    readonly owner: Owner,
    readonly ahead: number,
    private readonly clock: Clock,
    readonly by?: Author,
    readonly gathered = new Gathered(),
  ) {
    if ('organization' in owner) this.organization = owner.organization;
    if ('mode' in owner) this.mode = owner.mode;
    if ('queue' in owner) this.queue = owner.queue;
  }

  get now(): number {
    this.instant ??= this.clock.now();
    return this.instant + this.ahead;
  }

  afterCommit(effect: () => void): void {
    this.gathered.effects.push(effect);
  }

  /** Returns the same work for another owner, whose clock was not moved. */
  as(owner: Owner): OpenUnit {
    return new OpenUnit(owner, 0, this.clock, this.by, this.gathered);
  }
}

/**
 * Returns the unit that a port was given. Throws once the unit is committed, because what would be
 * added then is written nowhere.
 */
export function opened(unit: Work): OpenUnit {
  const open = unit as unknown as OpenUnit;
  if (!(open instanceof OpenUnit) || open.gathered.isEnded)
    throw new Error('A write outside of a unit of work.');
  return open;
}
