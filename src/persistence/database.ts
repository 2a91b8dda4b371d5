import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Connections, type Outcome, type Statement, UnitOfWork, type Values } from '../engine/index.js';
import type { Owner } from '../shared/caller.js';
import type { Decision, Write } from '../shared/decision.js';

/** What a read through TypeORM may do outside of a transaction. */
type Reader = Pick<EntityManager, 'createQueryBuilder' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'>;

export type PlainStatement = Statement;

/** A write in plain SQL, sent alone in the transaction of its decision. `rows` is how many it must change, else the use case decides again. */
export interface PlainWrite extends Write {
  readonly owner: Owner;
  readonly sql: string;
  readonly values: Values;
  readonly rows?: number;
  readonly committed?: () => void;
}

/**
 * The way to the rows of a module. Writes are decided in `commit`, in whose transaction `repository` is TypeORM's; reads are
 * TypeORM's too. Queues (SKIP LOCKED), sweeps and the feed send plain SQL, prepared by its name.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly unitOfWork: UnitOfWork;

  constructor(private readonly connections: Connections) {
    this.unitOfWork = new UnitOfWork(connections);
  }

  /** Whether this is a Citus cluster, where a statement that locks rows must name their organization. */
  get isDistributed(): boolean {
    return this.connections.isDistributed;
  }

  get load(): Connections['load'] {
    return this.connections.load;
  }

  get openTransaction(): object | undefined {
    return this.connections.openTransaction;
  }

  /** Writes everything that was decided, or nothing. Decides again if the state changed; refuses with service_unavailable after five attempts. */
  commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    return this.unitOfWork.commit(decide);
  }

  /** TypeORM's repository in the open transaction. Fails outside of one: a write belongs to a decision. */
  repository<Row extends ObjectLiteral>(record: new () => Row): Repository<Row> {
    return this.manager.getRepository(record);
  }

  /** TypeORM's manager on the connection of the open transaction. Read it again for each query. */
  get manager(): EntityManager {
    return this.connections.manager;
  }

  /** Reads through TypeORM, in the open transaction or on a connection of the owner's share. */
  reading<Result>(owner: Owner, read: (manager: Reader) => Promise<Result>): Promise<Result> {
    return this.connections.connected(owner, read);
  }

  /** Runs the work in one transaction of its owner. Nested calls join the one that is open. */
  run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    return this.connections.run(owner, work);
  }

  /** Rows of a statement that changes nothing and locks nothing. Outside a transaction, it may go together with other reads. */
  read<Row>(owner: Owner, statement: Statement, values: Values): Promise<Row[]> {
    return this.connections.read(owner, statement, values);
  }

  /** Rows of a statement of any kind in the open transaction. Fails outside of one. */
  query<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return this.connections.query(statement, values);
  }

  /** For jobs, which answer no request. Without an owner, it takes nobody's share of connections. */
  autocommit<Row>(owner: Owner | undefined, statement: Statement, values: Values): Promise<Outcome<Row>> {
    return this.connections.autocommit(owner, statement, values);
  }

  onApplicationShutdown(): Promise<void> {
    return this.connections.close();
  }
}
