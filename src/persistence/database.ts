import { AsyncLocalStorage } from 'node:async_hooks';
import { type EventEmitter, once } from 'node:events';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import {
  MAX_WAITING,
  type Outcome,
  overloaded,
  type Part,
  Pulse,
  ReadBatches,
  Shares,
  type Statement,
  sent,
  UnitOfWork,
  type Values,
} from '../engine/index.js';
import { DatabaseFault, isRefusedStatement } from '../platform/faults.js';
import { retried } from '../platform/retries.js';
import type { Owner } from '../shared/caller.js';
import type { Decision } from '../shared/decision.js';

/** What a read through TypeORM may do outside of a transaction. */
type Reader = Pick<EntityManager, 'createQueryBuilder' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'>;

export type PlainStatement = Statement;

/** A write in plain SQL, sent alone in the transaction of its decision. `rows` is how many it must change, else the use case decides again. */
export type PlainWrite = Part & { readonly sql: string };

/**
 * The way to the rows of a module, on a pool that owners share. Writes are decided in `commit`, in whose transaction `repository`
 * is TypeORM's; reads are TypeORM's too. Queues (SKIP LOCKED), sweeps and the feed send plain SQL, prepared by its name.
 */
export class Database implements OnApplicationShutdown {
  private readonly open = new AsyncLocalStorage<QueryRunner>();
  private readonly pool: Pool;
  private readonly reads: ReadBatches;
  private readonly shares: Shares;
  private readonly pulse: Pulse;
  private readonly unitOfWork = new UnitOfWork(this);
  /** Reads that wait as part of a batch, counted into the limit of waiting queries. */
  private sharing = 0;

  constructor(
    private readonly dataSource: DataSource,
    /** Whether this is a Citus cluster, where a statement that locks rows must name their organization. */
    readonly isDistributed = false,
    timeLimits = true,
  ) {
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    this.reads = new ReadBatches((...sent) => this.send(...sent));
    this.shares = new Shares(this.pool.options.max);
    this.pulse = new Pulse(this.pool, timeLimits);
  }

  /** The connections in use, those that are idle or may still be opened, and the queries that wait for one. */
  get load(): { readonly inUse: number; readonly free: number; readonly waiting: number } {
    const inUse = this.pool.totalCount - this.pool.idleCount;
    const waiting = this.pool.waitingCount + this.sharing + this.shares.waiting;
    return { inUse, free: this.pool.options.max - inUse, waiting };
  }

  /** Whether a write may go together with those of other requests, which are in no transaction either. */
  get isGatheringWrites(): boolean {
    return !this.isDistributed && this.open.getStore() === undefined;
  }

  get openTransaction(): object | undefined {
    return this.open.getStore();
  }

  /** TypeORM's manager on the connection of the open transaction. Read it again for each query. */
  get manager(): EntityManager {
    return this.transaction().manager;
  }

  /** TypeORM's repository in the open transaction. Fails outside of one: a write belongs to a decision. */
  repository<Row extends ObjectLiteral>(record: new () => Row): Repository<Row> {
    return this.manager.getRepository(record);
  }

  /** Writes everything that was decided, or nothing. Decides again if the state changed; refuses with service_unavailable after five attempts. */
  commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    return this.unitOfWork.commit(decide);
  }

  /** Reads through TypeORM, in the open transaction or on a connection of the owner's share. */
  async reading<Result>(owner: Owner, read: (manager: Reader) => Promise<Result>): Promise<Result> {
    return this.open.getStore() ? read(this.manager) : this.connected(owner, 1, () => read(this.dataSource.manager));
  }

  /** Runs the work in one transaction of its owner. Nested calls join the one that is open. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return work();
    return this.connected(owner, 1, () =>
      this.dataSource.transaction(async (manager) => {
        const runner = manager.queryRunner as QueryRunner;
        const result = await this.open.run(runner, work);
        await requireSound(runner);
        return result;
      }),
    );
  }

  /**
   * Rows of a prepared statement that changes nothing and locks nothing. Outside a transaction it may share one with other runs
   * of the same statement: now() is when the first of them began.
   */
  async read<Row>(owner: Owner, statement: Statement, values: Values): Promise<Row[]> {
    if (this.open.getStore()) return this.query(statement, values);
    return (await this.reads.add(owner, statement, values)).rows as Row[];
  }

  /** Rows of a prepared statement of any kind in the open transaction. Fails outside of one. */
  async query<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return (await inTransaction(this.transaction(), statement, values)).rows as Row[];
  }

  /** For the unit of work, and for jobs, which answer no request. Without an owner, it takes nobody's share of connections. */
  async autocommit<Row>(owner: Owner | undefined, statement: Statement, values: Values): Promise<Outcome<Row>> {
    const transaction = this.open.getStore();
    if (transaction) return (await inTransaction(transaction, statement, values)) as Outcome<Row>;
    const [outcome] = await this.send(owner, statement, [values]);
    return outcome as Outcome<Row>;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private transaction(): QueryRunner {
    const transaction = this.open.getStore();
    if (!transaction) throw new Error('A write outside of a unit of work: return it in the decision of a use case.');
    return transaction;
  }

  /** Not pool.query(), which closes the connection after any error. Here, constraints refuse writes every day. */
  private send(owner: Owner | undefined, statement: Statement, runs: readonly Values[]): Promise<readonly Outcome[]> {
    const send = () =>
      new Promise<readonly Outcome[]>((resolve, reject) => {
        this.sharing += runs.length - 1;
        this.pool.connect((unreachable, client, release) => {
          this.sharing -= runs.length - 1;
          if (!client) return reject(unreachable);
          const query = sent(client, statement, runs);
          query.then(
            () => release(),
            (error) => release(isRefusedStatement(error) ? undefined : error),
          );
          resolve(query);
        });
      });
    return this.connected(owner, runs.length, send);
  }

  /** Runs work that takes one connection, and gives it back, for so many queries. Throws service_unavailable when too much waits. */
  private connected<Result>(owner: Owner | undefined, queries: number, work: () => Promise<Result>): Promise<Result> {
    const once = () => {
      if (this.pool.waitingCount + this.sharing >= MAX_WAITING) throw overloaded();
      return work();
    };
    const inShare = () => (owner === undefined ? once() : this.shares.within(owner, queries, once));
    return this.pulse.within(retried('conflict', inShare));
  }
}

async function inTransaction(runner: QueryRunner, statement: Statement, values: Values): Promise<Outcome> {
  const [outcome] = await sent((await runner.connect()) as PoolClient, statement, [values]);
  return outcome as Outcome;
}

/** Throws when the transaction has failed, because PostgreSQL answers its COMMIT with ROLLBACK and no error. */
async function requireSound(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient;
  // pg tells of an error before PostgreSQL has said in which state that leaves the transaction.
  const { readyForQuery, connection } = client as unknown as { readyForQuery: boolean; connection: EventEmitter };
  if (!readyForQuery) await Promise.race([once(connection, 'readyForQuery'), once(client, 'end')]);
  if (client.getTransactionStatus() !== 'T') throw new DatabaseFault('The transaction failed before its commit.');
}
