import type { OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { Owner } from '../shared/caller.js';
import { Stale, type Work } from '../shared/unit.js';
import { type BatchedWrite, type PartOptions, partOf } from './batch/batched-write.js';
import { ConnectionPool } from './batch/connection-pool.js';
import type { Outcome, Statement, Values } from './batch/prepared-query.js';
import { hasCitus } from './citus/citus.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { retried } from './retries.js';
import type { Transaction } from './transaction.js';
import { OpenUnit, opened, type Step } from './unit-of-work.js';
import { UnitWriter } from './unit-writer.js';

/** A read through TypeORM may do only this outside of a transaction. */
type Reader = Pick<
  EntityManager,
  'createQueryBuilder' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'
>;

export type PlainStatement = Statement;

/**
 * Gives a module access to its rows, on a pool that owners share.
 *
 * The parameters of a port tell what it does. A port that reads takes an owner; if the owner is a
 * unit whose transaction has begun, the read takes place in it. A port that writes takes a unit. A
 * method that returns nothing adds its write to the unit, which does it at its commit. A method
 * that returns a promise does its write now.
 */
export class Database implements OnApplicationShutdown {
  /** `Units` commits through this writer. */
  readonly units: UnitWriter;
  private readonly pool: ConnectionPool;

  constructor(
    private readonly dataSource: DataSource,
    /**
     * This is true on a Citus cluster, where a statement that locks rows must name their
     * organization.
     */
    readonly isDistributed = false,
    timeLimits = true,
  ) {
    const { master } = dataSource.driver as unknown as { master: Pool };
    this.pool = new ConnectionPool(master, timeLimits);
    this.units = new UnitWriter(this.pool, dataSource, isDistributed);
  }

  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = await createDataSource(options).initialize();
    return new Database(dataSource, await hasCitus(dataSource), options.timeLimits);
  }

  /** Returns the numbers of connections in use, of free ones, and of queries that wait for one. */
  get load(): ConnectionPool['load'] {
    return this.pool.load;
  }

  /**
   * Returns the rows of a prepared statement that changes nothing and locks nothing. Outside a
   * transaction, several runs of the same statement may share one, so now() may be the time when
   * the first of them began.
   */
  async read<Row>(owner: Owner, statement: Statement, values: Values): Promise<Row[]> {
    const transaction = await transactionOf(owner);
    if (transaction) return transaction.within(transaction.query<Row>(statement, values));
    return (await this.pool.read(owner, statement, values)).rows as Row[];
  }

  /** Reads through TypeORM, in the unit's transaction if one has begun. */
  async reading<Result>(owner: Owner, read: (manager: Reader) => Promise<Result>): Promise<Result> {
    const transaction = await transactionOf(owner);
    if (transaction) return transaction.within(read(transaction.manager));
    return retried('conflict', () => this.pool.lend(owner, () => read(this.dataSource.manager)));
  }

  /** Adds a row that is written with those of other requests, in one statement. */
  batched<Row>(unit: Work, write: BatchedWrite<Row>, row: Row, options?: PartOptions): void {
    const { owner, gathered } = opened(unit);
    gathered.parts.push(partOf(owner, write, row, options));
  }

  /** Adds a write that TypeORM or plain SQL does at the commit. */
  atCommit(unit: Work, step: Step): void {
    opened(unit).gathered.steps.push(step);
  }

  /** Adds plain SQL that must change so many rows. If it does not, the use case runs again. */
  changing(unit: Work, statement: Statement, values: Values, rows: number): void {
    this.atCommit(unit, async (transaction) => {
      if ((await transaction.send(statement, values)).rowCount !== rows) throw new Stale();
    });
  }

  /**
   * Does a step now, in the transaction of the unit, which it begins. It serves locks, and writes
   * whose outcome decides what follows.
   */
  async inTransaction<Result>(
    unit: Work,
    step: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const transaction = await this.units.transactionOf(opened(unit));
    return transaction.within(step(transaction));
  }

  /** Runs plain SQL now, in the transaction of the unit, which it begins. */
  async query<Row>(unit: Work, statement: Statement, values: Values): Promise<Row[]> {
    return this.inTransaction(unit, (transaction) => transaction.query<Row>(statement, values));
  }

  /** Runs one statement, which is its own transaction. It serves jobs, which answer no request. */
  async autocommit<Row>(owner: Owner, statement: Statement, values: Values): Promise<Outcome<Row>> {
    const send = () => this.pool.send(owner, statement, [values]);
    const [outcome] = await retried('conflict', send);
    return outcome as Outcome<Row>;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

const transactionOf = (owner: Owner): Promise<Transaction> | undefined =>
  owner instanceof OpenUnit ? owner.gathered.transaction : undefined;
