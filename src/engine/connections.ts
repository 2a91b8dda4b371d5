import { AsyncLocalStorage } from 'node:async_hooks';
import { type EventEmitter, once } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { DatabaseFault, isRefusedStatement } from '../platform/faults.js';
import { retried } from '../platform/retries.js';
import type { Owner } from '../shared/caller.js';
import type { Statement } from './prepared-query.js';
import { type Outcome, PreparedQuery, type Values } from './prepared-query.js';
import { Pulse } from './pulse.js';
import { ReadBatches } from './reads.js';
import { MAX_WAITING, overloaded, Shares } from './shares.js';

/** Of the pool's connections, for one organization. With 0.8 its flood of lists made another's requests wait twice as long. */
const SHARE = 0.4;

/** The pool, shared by owners: hot statements by name, one at a time or together; transactions, and TypeORM's manager in them. */
export class Connections {
  private readonly open = new AsyncLocalStorage<QueryRunner>();
  private readonly pool: Pool;
  private readonly reads: ReadBatches;
  /** Reads that wait as part of a batch, counted into the limit of waiting queries. */
  private sharing = 0;
  private readonly shares: Shares;
  private readonly pulse: Pulse;

  constructor(
    private readonly dataSource: DataSource,
    private readonly isGathering = true,
    /** Whether this is a Citus cluster, where a statement that locks rows must name their organization. */
    readonly isDistributed = false,
    timeLimits = true,
  ) {
    const run = (owner: Owner | undefined, statement: Statement, runs: readonly Values[], onSent: () => void) =>
      retried('conflict', () => this.within(owner, statement, runs, onSent));
    this.reads = new ReadBatches(run, isGathering);
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    this.shares = new Shares(Math.max(1, Math.floor(this.pool.options.max * SHARE)));
    this.pulse = new Pulse(this.pool, timeLimits);
  }

  get url(): string {
    return this.pool.options.connectionString as string;
  }

  /** The connections in use, those that are idle or may still be opened, and the queries that wait for one. */
  get load(): { readonly inUse: number; readonly free: number; readonly waiting: number } {
    const inUse = this.pool.totalCount - this.pool.idleCount;
    const waiting = this.pool.waitingCount + this.sharing + this.shares.waiting;
    return { inUse, free: this.pool.options.max - inUse, waiting };
  }

  /** Whether a write may go together with those of other requests, which are in no transaction either. */
  get isGatheringWrites(): boolean {
    return this.isGathering && !this.isDistributed && this.open.getStore() === undefined;
  }

  get openTransaction(): object | undefined {
    return this.open.getStore();
  }

  /** TypeORM's manager on the connection of the open transaction. Read it again for each query. */
  get manager(): EntityManager {
    return this.transaction().manager;
  }

  /** Runs with TypeORM's manager: on the connection of the open transaction, or on one of the owner's share. */
  async connected<Result>(owner: Owner, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return work(this.manager);
    return this.onRunner(owner, ({ manager }) => work(manager));
  }

  /**
   * Runs a prepared statement that changes nothing and locks nothing, and returns its rows. Outside a transaction it may
   * share one with other runs of the same statement: now() is when the first of them began.
   */
  async read<Row>(owner: Owner, statement: Statement, values: Values): Promise<Row[]> {
    if (this.open.getStore()) return this.query(statement, values);
    const { onCitus } = statement;
    const sent = this.isDistributed && onCitus !== undefined ? { ...statement, text: onCitus } : statement;
    return (await this.pulse.within(this.reads.add(owner, sent, values))).rows as Row[];
  }

  /** Runs a prepared statement of any kind in the open transaction, and returns its rows. Fails outside of one. */
  async query<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return (await inTransaction(this.transaction(), statement, values)).rows as Row[];
  }

  /** Runs a prepared write in the open transaction, and returns how many rows its main part changed. Fails outside of one. */
  async write(statement: Statement, values: Values): Promise<number> {
    return (await inTransaction(this.transaction(), statement, values)).rowCount;
  }

  /** For the unit of work, and for jobs, which answer no request. Without an owner, it takes nobody's share of connections. */
  async autocommit<Row>(owner: Owner | undefined, statement: Statement, values: Values): Promise<Outcome<Row>> {
    const transaction = this.open.getStore();
    if (transaction) return (await inTransaction(transaction, statement, values)) as Outcome<Row>;
    const [outcome] = await this.pulse.within(retried('conflict', () => this.within(owner, statement, [values])));
    return outcome as Outcome<Row>;
  }

  /** Runs the work in one transaction of its owner. Nested calls join the one that is open. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return work();
    return this.onRunner(owner, async (runner) => {
      await runner.startTransaction();
      const result = await this.open.run(runner, work);
      await commit(runner);
      return result;
    });
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private transaction(): QueryRunner {
    const transaction = this.open.getStore();
    if (!transaction) throw new Error('A write outside of a unit of work: return it in the decision of a use case.');
    return transaction;
  }

  private within(
    owner: Owner | undefined,
    statement: Statement,
    runs: readonly Values[],
    onSent?: () => void,
  ): Promise<readonly Outcome[]> {
    const work = () => this.onConnection(statement, runs, onSent);
    return owner === undefined ? work() : this.shares.within(owner, runs.length, work);
  }

  /** Not pool.query(), which closes the connection after any error. Here, constraints refuse writes every day. */
  private onConnection(
    statement: Statement,
    runs: readonly Values[],
    onSent?: () => void,
  ): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.refuseWhenFull();
      this.sharing += runs.length - 1;
      this.pool.connect((unreachable, client, release) => {
        this.sharing -= runs.length - 1;
        if (!client) return reject(unreachable);
        const query = new PreparedQuery(statement, runs, (error, outcomes) => {
          release(error && !isRefusedStatement(error) ? error : undefined);
          if (error) reject(error);
          else resolve(outcomes);
        });
        client.query(query);
        onSent?.();
      });
    });
  }

  private onRunner<Result>(owner: Owner, work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    const once = async () => {
      this.refuseWhenFull();
      const runner = this.dataSource.createQueryRunner();
      try {
        return await work(runner);
      } finally {
        // The first error is the cause; a rollback on a broken connection only fails again.
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
        await runner.release();
      }
    };
    return this.pulse.within(retried('conflict', () => this.shares.within(owner, 1, once)));
  }

  private refuseWhenFull(): void {
    const waiting = this.pool.waitingCount + this.sharing;
    if (waiting >= MAX_WAITING) throw overloaded();
  }
}

async function inTransaction(runner: QueryRunner, statement: Statement, values: Values): Promise<Outcome> {
  const client = (await runner.connect()) as PoolClient;
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined, [outcome]: readonly Outcome[]) =>
      error ? reject(error) : resolve(outcome as Outcome);
    client.query(new PreparedQuery(statement, [values], done));
  });
}

/** Throws when the transaction has failed, because PostgreSQL answers its COMMIT with ROLLBACK and no error. */
async function commit(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient;
  await ready(client);
  if (client.getTransactionStatus() !== 'T') throw new DatabaseFault('The transaction failed before its commit.');
  await runner.commitTransaction();
}

/** pg tells of an error before PostgreSQL has said in which state that leaves the transaction. */
async function ready(client: PoolClient): Promise<void> {
  const { readyForQuery, connection } = client as unknown as { readyForQuery: boolean; connection: EventEmitter };
  if (!readyForQuery) await Promise.race([once(connection, 'readyForQuery'), once(client, 'end')]);
}
