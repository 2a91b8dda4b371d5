import { Client, type Pool } from 'pg';
import { histogram } from '../../platform/metric.js';
import { nameOf, type Owner } from '../../shared/caller.js';
import { DatabaseFault, isOfOneRun, isRefusedStatement, sqlState } from '../faults.js';
import { retried } from '../retries.js';
import { FairQueue, MAX_WAITING, overloaded } from './fair-queue.js';
import { type Outcome, type Statement, sent, type Values } from './prepared-query.js';
import { sentById } from './runs-by-id.js';

/**
 * One message has at most this many reads. More reads would save little, and each read waits for
 * all of them.
 */
const TOGETHER = 16;
const TICK_MS = 250;
/**
 * After this many ticks without an answer, a new connection asks PostgreSQL for one. A slow or full
 * PostgreSQL still gives it.
 */
const ASKED_AFTER = 3;
/** After this many ticks without an answer, PostgreSQL counts as silent. */
const SILENT_AFTER = 10;

export const BATCH_SIZE = histogram({
  name: 'tillgate_database_batch_size',
  help:
    'Reads that went to PostgreSQL together. Their number is `_sum`, and `_count` is the number ' +
    'of messages.',
  buckets: [1, 2, 3, 4, 6, 8, 12, TOGETHER],
});

interface Read {
  readonly owner: Owner;
  readonly values: Values;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting {
  reject: ((fault: Error) => void) | undefined;
}

/**
 * Shares pg's pool among owners, and gives up a silent PostgreSQL within three seconds. It counts
 * ticks of a timer instead of time: a process that gets no CPU hears nothing, and would blame
 * PostgreSQL for that.
 */
export class ConnectionPool {
  private readonly queue: FairQueue;
  /**
   * These reads of this turn of the event loop were not sent yet, by the text of their statement.
   */
  private readonly batches = new Map<string, Read[]>();
  /** This many reads wait as part of a batch. They count towards the limit of waiting queries. */
  private inBatches = 0;
  private readonly unanswered = new Set<Waiting>();
  private ticks = 0;
  /** The timer runs while work is unanswered, so that an idle process is not woken. */
  private ticking: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly timeLimits: boolean,
  ) {
    this.queue = new FairQueue(pool.options.max);
    pool.on('connect', this.answered);
  }

  /**
   * Returns the numbers of connections in use, of those that are idle or may still be opened, and
   * of queries that wait for one.
   */
  get load(): { readonly inUse: number; readonly free: number; readonly waiting: number } {
    const inUse = this.pool.totalCount - this.pool.idleCount;
    const waiting = this.pool.waitingCount + this.inBatches + this.queue.waiting;
    return { inUse, free: this.pool.options.max - inUse, waiting };
  }

  /**
   * Reads a row or rows. Reads of the same statement in one turn of the event loop share one
   * message, because a message is nearly half of the cost of finding a row by its key.
   */
  read(owner: Owner, statement: Statement, values: Values): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const read = { owner, values, resolve, reject };
      const batch = this.batches.get(statement.text);
      if (batch === undefined) {
        this.batches.set(statement.text, [read]);
        setImmediate(() => this.sendBatch(statement));
      } else if (batch.push(read) === TOGETHER) this.sendBatch(statement);
    });
  }

  /**
   * Sends the runs of a statement on one connection. It does not use pool.query(), because that
   * closes the connection after any error, and constraints refuse writes every day here.
   */
  send(
    owner: Owner | undefined,
    statement: Statement,
    runs: readonly Values[],
  ): Promise<readonly Outcome[]> {
    const send = () =>
      new Promise<readonly Outcome[]>((resolve, reject) => {
        this.inBatches += runs.length - 1;
        this.pool.connect((unreachable, client, release) => {
          this.inBatches -= runs.length - 1;
          if (!client) return reject(unreachable);
          const query = sent(client, statement, runs);
          query.then(
            () => release(),
            (error) => release(isRefusedStatement(error) ? undefined : error),
          );
          resolve(query);
        });
      });
    return this.lend(owner, send, runs.length);
  }

  /**
   * Runs work that takes one connection and gives it back. Work without an owner counts towards
   * nobody's share. Throws service_unavailable when too much waits, and a DatabaseFault when
   * PostgreSQL is silent. The work then still goes on, so its effect may happen later.
   */
  lend<Result>(
    owner: Owner | undefined,
    work: () => Promise<Result>,
    queries = 1,
  ): Promise<Result> {
    const bounded = async () => {
      if (this.pool.waitingCount + this.inBatches >= MAX_WAITING) throw overloaded();
      return work();
    };
    const lent =
      owner === undefined ? bounded() : this.queue.within(nameOf(owner), queries, bounded);
    return this.unlessSilent(lent);
  }

  private sendBatch(statement: Statement): void {
    const reads = this.batches.get(statement.text);
    this.batches.delete(statement.text);
    if (reads) void this.answer(statement, reads);
  }

  private async answer(statement: Statement, reads: readonly Read[]): Promise<void> {
    BATCH_SIZE.observe(reads.length);
    try {
      const owner = ownerOfAll(reads.map((read) => read.owner));
      const runs = reads.map(({ values }) => values);
      const outcomes = await retried('conflict', () =>
        sentById(statement, runs, (...joined) => this.send(owner, ...joined)),
      );
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // PostgreSQL refuses the whole batch for one bad run. The reads are sent again one by one, so
      // that only that one fails.
      if (reads.length > 1 && isOfOneRun(error))
        for (const read of reads) void this.answer(statement, [read]);
      else for (const { reject } of reads) reject(error);
    }
  }

  private unlessSilent<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const one: Waiting = { reject };
      this.unanswered.add(one);
      if (this.timeLimits) this.ticking ??= setInterval(() => this.tick(), TICK_MS).unref();
      const ended = work.finally(() => {
        this.unanswered.delete(one);
        // A Set keeps its old tables, and all that they refer to, until the next full garbage
        // collection. The entry is emptied so that it keeps nothing alive.
        one.reject = undefined;
      });
      ended.then((result) => {
        this.answered();
        resolve(result);
      }, reject);
    });
  }

  private readonly answered = (): void => {
    this.ticks = 0;
  };

  private tick(): void {
    if (this.unanswered.size === 0) {
      clearInterval(this.ticking);
      this.ticking = undefined;
      this.ticks = 0;
      return;
    }
    this.ticks += 1;
    if (this.ticks >= SILENT_AFTER)
      for (const { reject } of this.unanswered)
        reject?.(new DatabaseFault('PostgreSQL is silent.'));
    if (this.ticks % SILENT_AFTER !== ASKED_AFTER) return;
    const client = new Client(this.pool.options).on('error', () => undefined);
    const asked = client.connect().then(() => client.query(''));
    asked
      .then(this.answered, (error) => sqlState(error) && this.answered())
      .finally(() => client.end());
  }
}

/**
 * Returns the owner of all, or undefined if there are several. A message of several owners counts
 * towards nobody's share.
 */
export function ownerOfAll(owners: readonly Owner[]): Owner | undefined {
  return new Set(owners.map(nameOf)).size === 1 ? owners[0] : undefined;
}
