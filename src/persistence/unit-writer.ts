import type { DataSource } from 'typeorm';
import { Stale } from '../shared/unit.js';
import { BatchWriter } from './batch/batch-writer.js';
import type { StatementPart } from './batch/batched-write.js';
import type { ConnectionPool } from './batch/connection-pool.js';
import { composed, flat } from './batch/statement.js';
import { orStale } from './retries.js';
import { Transaction } from './transaction.js';
import type { OpenUnit } from './unit-of-work.js';

/** Writes all that a unit has gathered, or nothing. */
export class UnitWriter {
  private readonly batches: BatchWriter;

  constructor(
    private readonly pool: ConnectionPool,
    private readonly dataSource: DataSource,
    /**
     * Each part is a statement on Citus, which returns no counts of other parts and writes no rows
     * together.
     */
    private readonly isDistributed: boolean,
  ) {
    this.batches = new BatchWriter(pool);
  }

  /**
   * Begins the transaction of the unit if there is none yet. The transaction holds a connection
   * until the unit ends.
   */
  async transactionOf({ owner, gathered }: OpenUnit): Promise<Transaction> {
    gathered.transaction ??= Transaction.begin(this.pool, this.dataSource, owner);
    return gathered.transaction;
  }

  /**
   * Commits the unit, to which nothing can be added any more. Throws Stale if the state has changed
   * since the use case read it.
   */
  async commit(unit: OpenUnit): Promise<void> {
    const { gathered } = unit;
    gathered.isEnded = true;
    const parts = gathered.parts.sort(inOrder);
    if (gathered.transaction || gathered.steps.length > 0 || this.mustCount(parts))
      await this.writeInTransaction(unit, parts);
    else if (parts.length > 0) await this.writeTogether(unit, parts);
  }

  async rollback({ gathered }: OpenUnit): Promise<void> {
    gathered.isEnded = true;
    const transaction = await gathered.transaction?.catch(() => undefined);
    await transaction?.rollback();
  }

  /**
   * Tells whether the changed rows are counted one part after the other. A statement can count them
   * itself only if it begins with an insert.
   */
  private mustCount(parts: readonly StatementPart[]): boolean {
    return parts.some(isChange) && (this.isDistributed || parts.every(isChange));
  }

  /**
   * Writes the steps first, in their order, and the batched parts last. A part that changes rows
   * locks them until the commit, and others wait for it as briefly as possible.
   */
  private async writeInTransaction(unit: OpenUnit, parts: readonly StatementPart[]): Promise<void> {
    const transaction = await this.transactionOf(unit);
    for (const step of unit.gathered.steps) await transaction.within(step(transaction));
    const isAlone = this.isDistributed || parts.every(isChange);
    const statements = isAlone ? parts.map((part) => [part]) : [parts];
    for (const statement of statements) await this.send(transaction, statement);
    await transaction.commit();
  }

  /** Writes the parts as one statement, with the rows of other requests. */
  private async writeTogether({ owner }: OpenUnit, parts: readonly StatementPart[]): Promise<void> {
    if (!this.isDistributed) return orStale(this.batches.add(parts), ...stalesOf(parts));
    const [statement, values] = composed(parts);
    await orStale(this.pool.send(owner, statement, [values]), ...stalesOf(parts));
  }

  private async send(transaction: Transaction, parts: readonly StatementPart[]): Promise<void> {
    const [first] = parts;
    if (first === undefined) return;
    const counted = isChange(first) ? [{ ...first, rows: 1 }] : parts;
    const sending = transaction.send(...composed(counted));
    const { rowCount } = await orStale(transaction.within(sending), ...stalesOf(parts));
    if (isChange(first) && rowCount !== 1) throw new Stale();
  }
}

const isChange = ({ write }: StatementPart) => write.isChange;

/**
 * The row that is refused most often comes first, and the change, which locks a row, comes last.
 */
const rankOf = (part: StatementPart) => (part.isFirst ? 0 : isChange(part) ? 2 : 1);

/**
 * Sorts by rank, and then by name. Units that add the same rows in another order are then of one
 * kind, and are written together.
 */
function inOrder(one: StatementPart, other: StatementPart): number {
  const rank = rankOf(one) - rankOf(other);
  if (rank !== 0 || one.name === other.name) return rank;
  return one.name < other.name ? -1 : 1;
}

const stalesOf = (parts: readonly StatementPart[]) => flat(parts.map(({ stale = [] }) => stale));
