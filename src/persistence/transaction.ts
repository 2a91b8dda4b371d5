import { type EventEmitter, once } from 'node:events';
import type { PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Owner } from '../shared/caller.js';
import type { ConnectionPool } from './batch/connection-pool.js';
import { type Outcome, type Statement, sent, type Values } from './batch/prepared-query.js';
import { DatabaseFault } from './faults.js';

/** A transaction runs on a connection that is lent to it until it ends. */
export class Transaction {
  private constructor(
    private readonly runner: QueryRunner,
    /**
     * The promise resolves when the connection is given back, and rejects when PostgreSQL is
     * silent.
     */
    private readonly lent: Promise<void>,
    private readonly giveBack: () => void,
  ) {}

  /** Begins a transaction on a connection of the owner's share. */
  static begin(pool: ConnectionPool, dataSource: DataSource, owner: Owner): Promise<Transaction> {
    return new Promise((resolve, reject) => {
      const lent: Promise<void> = pool.lend(owner, async () => {
        const runner = dataSource.createQueryRunner();
        try {
          await runner.startTransaction();
          await new Promise<void>((giveBack) => resolve(new Transaction(runner, lent, giveBack)));
        } finally {
          await runner.release();
        }
      });
      lent.catch(reject);
    });
  }

  get manager(): EntityManager {
    return this.runner.manager;
  }

  async send<Row>(statement: Statement, values: Values): Promise<Outcome<Row>> {
    const [outcome] = await sent((await this.runner.connect()) as PoolClient, statement, [values]);
    return outcome as Outcome<Row>;
  }

  async query<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return (await this.send<Row>(statement, values)).rows as Row[];
  }

  /**
   * Returns the result of the work. Rejects with the fault of the connection if that is lost
   * meanwhile.
   */
  within<Result>(work: Promise<Result>): Promise<Result> {
    const lost = this.lent.then(() => new Promise<never>(() => undefined));
    return Promise.race([work, lost]);
  }

  async commit(): Promise<void> {
    await this.requireSound();
    await this.runner.commitTransaction();
    this.giveBack();
    await this.lent;
  }

  async rollback(): Promise<void> {
    await this.within(this.runner.rollbackTransaction()).catch(() => undefined);
    this.giveBack();
    await this.lent.catch(() => undefined);
  }

  /**
   * Throws when the transaction has failed, because PostgreSQL answers its COMMIT with ROLLBACK and
   * no error.
   */
  private async requireSound(): Promise<void> {
    const client = (await this.runner.connect()) as PoolClient;
    // pg reports an error before PostgreSQL has said in which state it leaves the transaction.
    const { readyForQuery, connection } = client as unknown as {
      readyForQuery: boolean;
      connection: EventEmitter;
    };
    if (!readyForQuery)
      await Promise.race([once(connection, 'readyForQuery'), once(client, 'end')]);
    if (client.getTransactionStatus() !== 'T')
      throw new DatabaseFault('The transaction failed before its commit.');
  }
}
