import { AsyncLocalStorage } from 'node:async_hooks';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import type { Owner } from '../shared/caller.js';
import { Stale, type Work } from '../shared/unit.js';
import { Connections } from './batch/connections.js';
import { type Form, hot, type Part } from './batch/form.js';
import type { Outcome, Statement, Values } from './batch/prepared-query.js';
import { composed, flat } from './batch/statement.js';
import { Writes } from './batch/writes.js';
import { hasCitus } from './citus/citus.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { orStale } from './retries.js';
import { OpenUnit, opened, requireSound, type Step, Transaction } from './unit-of-work.js';

/** What a read through TypeORM may do outside of a transaction. */
type Reader = Pick<
  EntityManager,
  'createQueryBuilder' | 'existsBy' | 'find' | 'findBy' | 'findOne' | 'findOneBy'
>;

export type PlainStatement = Statement;

/**
 * The way to the rows of a module, on a pool that owners share. A port that reads takes an owner: what it gets is a unit's if the
 * owner is one whose transaction is open. A port that writes takes a unit, and says how: batched, at the commit, or at once.
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
    this.connections = new Connections(
      (dataSource.driver as unknown as { master: Pool }).master,
      timeLimits,
    );
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

  /** Adds a row that is written with those of other requests, in one statement. */
  batched<Row>(unit: Work, form: Form<Row>, row: Row, options?: Parameters<typeof hot>[3]): void {
    const open = opened(unit);
    open.parts.push(hot(open.owner, form, row, options));
  }

  /** Adds a write of TypeORM's, or of plain SQL, that is sent when the unit is committed. */
  atCommit(unit: Work, step: Step): void {
    opened(unit).steps.push(step);
  }

  /** Adds plain SQL that must change so many rows. If it does not, the use case runs again. */
  changing(unit: Work, statement: Statement, values: Values, rows: number): void {
    this.atCommit(unit, async (transaction) => {
      if ((await transaction.send(statement, values)).rowCount !== rows) throw new Stale();
    });
  }

  /** For locks, and for writes whose outcome decides: does it now, in the transaction of the unit, which it opens. */
  async inTransaction<Result>(
    unit: Work,
    step: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const transaction = await this.transactionOf(opened(unit));
    return transaction.within(step(transaction));
  }

  /** The same, in plain SQL. */
  async query<Row>(unit: Work, statement: Statement, values: Values): Promise<Row[]> {
    return this.inTransaction(unit, (transaction) => transaction.query<Row>(statement, values));
  }

  /** Runs what fills the unit, and writes everything or nothing. */
  async committed<Result>(unit: OpenUnit, use: () => Promise<Result>): Promise<Result> {
    const outer = this.open.getStore();
    if (outer)
      unit.transaction = new Transaction(outer, new Promise(() => undefined), () => undefined);
    try {
      const result = await use();
      await this.write(unit);
      unit.isEnded = true;
      if (unit.transaction && !outer) await (await unit.transaction).commit();
      return result;
    } catch (error) {
      unit.isEnded = true;
      if (unit.transaction && !outer)
        await Promise.resolve(unit.transaction).then(
          (one) => one.rollback(),
          () => undefined,
        );
      throw error;
    }
  }

  /** Of modules whose ports take no unit yet: they join the transaction of this one. */
  async joined<Result>(unit: Work, work: () => Promise<Result>): Promise<Result> {
    const transaction = await this.transactionOf(opened(unit));
    return transaction.within(this.open.run(transaction.runner, work));
  }

  /** Reads through TypeORM, in the open transaction or on a connection of the owner's share. */
  async reading<Result>(owner: Owner, read: (manager: Reader) => Promise<Result>): Promise<Result> {
    const transaction = await this.openTransactionOf(owner);
    if (transaction) return transaction.within(read(transaction.manager));
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
    const transaction = await this.openTransactionOf(owner);
    if (transaction)
      return (await transaction.within(transaction.send<Row>(statement, values))).rows as Row[];
    return (await this.connections.read(owner, statement, values)).rows as Row[];
  }

  /** For jobs, which answer no request. */
  async autocommit<Row>(owner: Owner, statement: Statement, values: Values): Promise<Outcome<Row>> {
    const transaction = await this.openTransactionOf(owner);
    if (transaction) return transaction.send<Row>(statement, values);
    const [outcome] = await this.connections.send(owner, statement, [values]);
    return outcome as Outcome<Row>;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private transaction(): QueryRunner {
    const transaction = this.open.getStore();
    if (!transaction)
      throw new Error(
        'A write outside of a unit of work: return it in the decision of a use case.',
      );
    return transaction;
  }

  /** Opens it on a connection of the owner's share, where it stays until it ends. */
  private async transactionOf(unit: OpenUnit): Promise<Transaction> {
    unit.transaction ??= new Promise<Transaction>((resolve, reject) => {
      const lent: Promise<void> = this.connections.lend(unit.owner, async () => {
        const runner = this.dataSource.createQueryRunner();
        try {
          await runner.startTransaction();
          await new Promise<void>((giveBack) => resolve(new Transaction(runner, lent, giveBack)));
        } finally {
          await runner.release();
        }
      });
      lent.catch(reject);
    });
    return unit.transaction;
  }

  private openTransactionOf(owner: Owner): Transaction | Promise<Transaction> | undefined {
    if (owner instanceof OpenUnit) return owner.transaction;
    const outer = this.open.getStore();
    return outer && new Transaction(outer, new Promise(() => undefined), () => undefined);
  }

  /** Batched parts alone are one statement, with those of other requests. After steps and locks, they are the last one of the transaction. */
  private async write(unit: OpenUnit): Promise<void> {
    const parts = unit.parts.sort((one, other) => rankOf(one) - rankOf(other));
    const counts = this.isDistributed || (parts[0] !== undefined && isChange(parts[0]));
    if (unit.transaction || unit.steps.length > 0 || (counts && parts.some(isChange))) {
      const transaction = await this.transactionOf(unit);
      for (const step of unit.steps) await transaction.within(step(transaction));
      // Citus returns no counts of other parts, and writes no rows together: there, each part runs alone.
      const together = this.isDistributed
        ? parts.map((part) => [part])
        : counts
          ? split(parts)
          : [parts];
      for (const some of together) await this.sendIn(transaction, some);
    } else if (parts.length > 0) {
      const writing: Promise<unknown> = this.isDistributed
        ? this.connections.send(unit.owner, ...sentAlone(parts))
        : this.writes.add(parts);
      await orStale(writing, ...stalesOf(parts));
    }
  }

  private async sendIn(transaction: Transaction, parts: readonly Part[]): Promise<void> {
    const [first] = parts;
    if (first === undefined) return;
    const rows = isChange(first) ? 1 : undefined;
    const sending = transaction.send(
      ...composed(rows === undefined ? parts : [{ ...first, rows }]),
    );
    const { rowCount } = await orStale(transaction.within(sending), ...stalesOf(parts));
    if (rows !== undefined && rowCount !== rows) throw new Stale();
  }
}

const isChange = ({ sql }: Part) => typeof sql !== 'string' && sql.isChange;

/** Where it stands in the statement: the row that is refused most often first, and the change that locks last. */
const rankOf = (part: Part) => (part.isFirst ? 0 : isChange(part) ? 2 : 1);

function sentAlone(parts: readonly Part[]): [Statement, readonly Values[]] {
  const [statement, values] = composed(parts);
  return [statement, [values]];
}

const split = (parts: readonly Part[]) => parts.map((part) => [part]);

const stalesOf = (parts: readonly Part[]) => flat(parts.map(({ stale = [] }) => stale));
