import { AsyncLocalStorage } from 'node:async_hooks';
import { type EventEmitter, once } from 'node:events';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { hasCitus } from '../citus/citus.js';
import {
  Connections,
  composed,
  flat,
  type Outcome,
  type Part,
  type Statement,
  sent,
  type Values,
  Writes,
} from '../engine/index.js';
import { DatabaseFault } from '../platform/faults.js';
import { orStale, retried, Stale } from '../platform/retries.js';
import type { Owner } from '../shared/caller.js';
import type { Decided, Decision, Write } from '../shared/decision.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';

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
  private readonly connections: Connections;
  private readonly writes: Writes;

  constructor(
    private readonly dataSource: DataSource,
    /** Whether this is a Citus cluster, where a statement that locks rows must name their organization. */
    readonly isDistributed = false,
    timeLimits = true,
  ) {
    this.connections = new Connections((dataSource.driver as unknown as { master: Pool }).master, timeLimits);
    this.writes = new Writes(this.connections);
  }

  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = await createDataSource(options).initialize();
    return new Database(dataSource, await hasCitus(dataSource), options.timeLimits);
  }

  get load(): Connections['load'] {
    return this.connections.load;
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
  async commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    const { result, writes } = await retried('stale', async () => this.write(await decide()));
    for (const { committed } of writes) committed?.();
    return result;
  }

  /** Reads through TypeORM, in the open transaction or on a connection of the owner's share. */
  async reading<Result>(owner: Owner, read: (manager: Reader) => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return read(this.manager);
    return this.connections.lend(owner, () => read(this.dataSource.manager));
  }

  /** Runs the work in one transaction of its owner. Nested calls join the one that is open. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return work();
    return this.connections.lend(owner, () =>
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
    return (await this.connections.read(owner, statement, values)).rows as Row[];
  }

  /** Rows of a prepared statement of any kind in the open transaction. Fails outside of one. */
  async query<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return (await inTransaction(this.transaction(), statement, values)).rows as Row[];
  }

  /** For writes that are decided, and for jobs, which answer no request. */
  async autocommit<Row>(owner: Owner, statement: Statement, values: Values): Promise<Outcome<Row>> {
    const transaction = this.open.getStore();
    if (transaction) return (await inTransaction(transaction, statement, values)) as Outcome<Row>;
    const [outcome] = await this.connections.send(owner, statement, [values]);
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

  /** What constraints alone can refuse is one prepared statement; what counts rows or needs locks is one transaction. */
  private async write<Result>(decision: Decision<Result>): Promise<Decided<Result>> {
    if ('decide' in decision) {
      return this.run(decision.owner, async () => {
        const decided = await decision.decide();
        await this.writeInTransaction(this.partsOf(decided.writes));
        return decided;
      });
    }
    const parts = this.partsOf(decision.writes);
    const [first] = parts;
    if (first === undefined) return decision;
    if (parts.some(isAlone)) await this.run(first.owner, () => this.writeInTransaction(parts));
    else if (this.isDistributed || this.open.getStore()) await this.send(parts);
    else await orStale(this.writes.add(parts), ...stalesOf(parts));
    return decision;
  }

  /** Citus returns no counts of other parts: there, each of these parts runs alone, and PostgreSQL tells how many rows it changed. */
  private partsOf(writes: readonly Write[]): readonly Part[] {
    const parts = writes.filter((write): write is Part => 'sql' in write);
    if (!this.isDistributed) return parts;
    return parts.map((part) => (typeof part.sql !== 'string' && part.sql.isChange ? { ...part, rows: 1 } : part));
  }

  /** What is sent alone goes first, because PostgreSQL counts only the rows of a statement's main part. On Citus, no rows go together. */
  private async writeInTransaction(parts: readonly Part[]): Promise<void> {
    for (const part of parts.filter(isAlone)) await this.send([part]);
    const others = parts.filter((part) => !isAlone(part));
    if (this.isDistributed) for (const part of others) await this.send([part]);
    else if (others.length > 0) await this.send(others);
  }

  private async send(parts: readonly Part[]): Promise<void> {
    const { owner, rows } = parts[0] as Part;
    const { rowCount } = await orStale(this.autocommit(owner, ...composed(parts)), ...stalesOf(parts));
    if (rows !== undefined && rowCount !== rows) throw new Stale();
  }
}

function isAlone({ sql, rows }: Part): boolean {
  return typeof sql === 'string' || rows !== undefined;
}

const stalesOf = (parts: readonly Part[]) => flat(parts.map(({ stale = [] }) => stale));

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
