import { type EventEmitter, once } from 'node:events';
import type { PoolClient } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { Mode, Owner } from '../shared/caller.js';
import type { Clock } from '../shared/clock.js';
import type { Work } from '../shared/unit.js';
import type { Part } from './batch/form.js';
import { type Outcome, type Statement, sent, type Values } from './batch/prepared-query.js';
import { DatabaseFault } from './faults.js';

/** A write that is not batched. It is done when the unit is committed, in the order in which it was added. */
export type Step = (transaction: Transaction) => Promise<unknown>;

/** What a unit has gathered so far. Only `Database` and `Units` look inside. */
export class OpenUnit {
  declare readonly organization?: string;
  declare readonly mode?: Mode;
  readonly steps: Step[] = [];
  readonly parts: Part[] = [];
  readonly effects: (() => void)[] = [];
  transaction: Transaction | Promise<Transaction> | undefined;
  isEnded = false;
  private instant: number | undefined;

  constructor(
    readonly owner: Owner,
    readonly ahead: number,
    private readonly clock: Clock,
  ) {
    if ('organization' in owner) this.organization = owner.organization;
    if ('mode' in owner) this.mode = owner.mode;
  }

  get now(): number {
    this.instant ??= this.clock.now();
    return this.instant + this.ahead;
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect);
  }
}

/** The unit that a port was given. Throws once it is committed: what would be added then is written nowhere. */
export function opened(unit: Work): OpenUnit {
  const open = unit as unknown as OpenUnit;
  if (!(open instanceof OpenUnit) || open.isEnded)
    throw new Error('A write outside of a unit of work.');
  return open;
}

/** A transaction on a connection that is lent to it until it ends. */
export class Transaction {
  constructor(
    readonly runner: QueryRunner,
    /** Ends when the connection is given back. Fails when PostgreSQL is silent. */
    private readonly lent: Promise<void>,
    private readonly giveBack: () => void,
  ) {}

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

  /** What the work returns, or the fault of a connection that is lost meanwhile. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    const lost = this.lent.then(() => new Promise<never>(() => undefined));
    return Promise.race([work, lost]);
  }

  async commit(): Promise<void> {
    await requireSound(this.runner);
    await this.runner.commitTransaction();
    this.giveBack();
    await this.lent;
  }

  async rollback(): Promise<void> {
    await this.within(this.runner.rollbackTransaction()).catch(() => undefined);
    this.giveBack();
    await this.lent.catch(() => undefined);
  }
}

/** Throws when the transaction has failed, because PostgreSQL answers its COMMIT with ROLLBACK and no error. */
export async function requireSound(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient;
  // pg tells of an error before PostgreSQL has said in which state that leaves the transaction.
  const { readyForQuery, connection } = client as unknown as {
    readyForQuery: boolean;
    connection: EventEmitter;
  };
  if (!readyForQuery) await Promise.race([once(connection, 'readyForQuery'), once(client, 'end')]);
  if (client.getTransactionStatus() !== 'T')
    throw new DatabaseFault('The transaction failed before its commit.');
}
