import { Client, type Pool } from 'pg';
import { histogram } from '../../platform/metric.js';
import { nameOf, type Owner } from '../../shared/caller.js';
import { DatabaseFault, isOfOneRun, isRefusedStatement, sqlState } from '../faults.js';
import { retried } from '../retries.js';
import { FairQueue, MAX_WAITING, overloaded } from './fair-queue.js';
import { type Outcome, type Statement, sent, type Values } from './prepared-query.js';

/** The most reads of one message. More save nothing measurable, and each waits for all. */
const TOGETHER = 8;
const TICK_MS = 250;
/** Ticks without an answer, after which a new connection asks for one. A slow or full PostgreSQL gives it. */
const ASKED_AFTER = 3;
/** Ticks without an answer, after which PostgreSQL is silent. */
const SILENT_AFTER = 10;

export const BATCH_SIZE = histogram({
  name: 'tillgate_database_batch_size',
  help: 'Reads that went to PostgreSQL together. Their number is `_sum`, and `_count` is the number of messages.',
  buckets: [1, 2, 3, 4, 5, 6, 7, TOGETHER],
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
 * pg's pool, which owners share. It gives up a silent PostgreSQL within three seconds. Ticks are counted, not time, because a
 * process without CPU hears nothing.
 */
export class ConnectionPool {
  private readonly queue: FairQueue;
  /** The reads of this turn of the event loop that were not sent yet, by the text of their statement. */
  private readonly batches = new Map<string, Read[]>();
  /** Reads that wait as part of a batch, counted into the limit of waiting queries. */
  private inBatches = 0;
  private readonly unanswered = new Set<Waiting>();
  private ticks = 0;

  constructor(
    private readonly pool: Pool,
    timeLimits: boolean,
  ) {
    this.queue = new FairQueue(pool.options.max);
    pool.on('connect', this.answered);
    if (timeLimits) setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** The connections in use, those that are idle or may still be opened, and the queries that wait for one. */
  get load(): { readonly inUse: number; readonly free: number; readonly waiting: number } {
    const inUse = this.pool.totalCount - this.pool.idleCount;
    const waiting = this.pool.waitingCount + this.inBatches + this.queue.waiting;
    return { inUse, free: this.pool.options.max - inUse, waiting };
  }

  /** Reads of one statement and turn of the event loop go in one message: it is nearly half of the cost of a row found by key. */
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

  /** Not pool.query(), which closes the connection after any error. Here, constraints refuse writes every day. */
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
   * Runs work that takes one connection and gives it back. Without an owner, it takes nobody's share. Throws
   * service_unavailable when too much waits, and a DatabaseFault when PostgreSQL is silent: the work then goes on, and may be
   * done later.
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
      const outcomes = await retried('conflict', () => this.send(owner, statement, runs));
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One refused run fails the batch. Running each alone fails only that one.
      if (reads.length > 1 && isOfOneRun(error))
        for (const read of reads) void this.answer(statement, [read]);
      else for (const { reject } of reads) reject(error);
    }
  }

  private unlessSilent<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const one: Waiting = { reject };
      this.unanswered.add(one);
      const ended = work.finally(() => {
        this.unanswered.delete(one);
        // A Set keeps its old tables, and what they refer to, until the next full garbage collection.
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
    this.ticks = this.unanswered.size === 0 ? 0 : this.ticks + 1;
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

/** The owner of all. Undefined if there are several: what they send together takes nobody's share. */
export function ownerOfAll(owners: readonly Owner[]): Owner | undefined {
  return new Set(owners.map(nameOf)).size === 1 ? owners[0] : undefined;
}
