import type { Pool } from 'pg';
import { histogram } from '../../platform/metric.js';
import type { Owner } from '../../shared/caller.js';
import { isOfOneRun, isRefusedStatement } from '../faults.js';
import { retried } from '../retries.js';
import { type Outcome, type Statement, sent, type Values } from './prepared-query.js';
import { Pulse } from './pulse.js';
import { MAX_WAITING, overloaded, ownerOfAll, Shares } from './shares.js';

/** The most reads of one message. More save nothing measurable, and each waits for all. */
const TOGETHER = 8;

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

/** The pool, which owners share. */
export class Connections {
  private readonly shares: Shares;
  private readonly pulse: Pulse;
  /** The reads of this turn of the event loop that were not sent yet, by the text of their statement. */
  private readonly batches = new Map<string, Read[]>();
  /** Reads that wait as part of a batch, counted into the limit of waiting queries. */
  private inBatches = 0;

  constructor(
    private readonly pool: Pool,
    timeLimits: boolean,
  ) {
    this.shares = new Shares(pool.options.max);
    this.pulse = new Pulse(pool, timeLimits);
  }

  /** The connections in use, those that are idle or may still be opened, and the queries that wait for one. */
  get load(): { readonly inUse: number; readonly free: number; readonly waiting: number } {
    const inUse = this.pool.totalCount - this.pool.idleCount;
    const waiting = this.pool.waitingCount + this.inBatches + this.shares.waiting;
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

  /** Runs work that takes one connection and gives it back. Without an owner, it takes nobody's share. Throws service_unavailable when too much waits. */
  lend<Result>(
    owner: Owner | undefined,
    work: () => Promise<Result>,
    queries = 1,
  ): Promise<Result> {
    const once = () => {
      if (this.pool.waitingCount + this.inBatches >= MAX_WAITING) throw overloaded();
      return work();
    };
    const inShare = () => (owner === undefined ? once() : this.shares.within(owner, queries, once));
    return this.pulse.within(retried('conflict', inShare));
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
      const outcomes = await this.send(owner, statement, runs);
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One refused run fails the batch. Running each alone fails only that one.
      if (reads.length > 1 && isOfOneRun(error))
        for (const read of reads) void this.answer(statement, [read]);
      else for (const { reject } of reads) reject(error);
    }
  }
}
