import type { Pool } from 'pg';
import { isRefusedStatement } from '../platform/faults.js';
import { retried } from '../platform/retries.js';
import type { Owner } from '../shared/caller.js';
import { type Outcome, type Statement, sent, type Values } from './prepared-query.js';
import { Pulse } from './pulse.js';
import { MAX_WAITING, overloaded, Shares } from './shares.js';

/** The pool, which owners share. */
export class Connections {
  private readonly shares: Shares;
  private readonly pulse: Pulse;
  /** Queries that wait as part of a batch, counted into the limit of waiting queries. */
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

  /** Not pool.query(), which closes the connection after any error. Here, constraints refuse writes every day. */
  send(owner: Owner | undefined, statement: Statement, runs: readonly Values[]): Promise<readonly Outcome[]> {
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
  lend<Result>(owner: Owner | undefined, work: () => Promise<Result>, queries = 1): Promise<Result> {
    const once = () => {
      if (this.pool.waitingCount + this.inBatches >= MAX_WAITING) throw overloaded();
      return work();
    };
    const inShare = () => (owner === undefined ? once() : this.shares.within(owner, queries, once));
    return this.pulse.within(retried('conflict', inShare));
  }
}
