import { Client, type Pool } from 'pg';
import { DatabaseFault, sqlState } from '../faults.js';

const TICK_MS = 250;
/** Ticks without an answer: when a new connection asks for one, which a slow or full PostgreSQL gives, and when it is silent. */
const ASKED_AFTER = 3;
const SILENT_AFTER = 10;

interface Waiting {
  reject: ((fault: Error) => void) | undefined;
}

/** Gives up a silent PostgreSQL within three seconds. Ticks are counted, not time: a process without CPU hears nothing. */
export class Pulse {
  private readonly waiting = new Set<Waiting>();
  private ticks = 0;

  constructor(
    private readonly pool: Pool,
    timeLimits: boolean,
  ) {
    pool.on('connect', this.beat);
    if (timeLimits) setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** What the work returns. Throws a DatabaseFault when PostgreSQL is silent: the work goes on, and may be done later. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const one: Waiting = { reject };
      this.waiting.add(one);
      const ended = work.finally(() => {
        this.waiting.delete(one);
        // A Set keeps its old tables, and what they refer to, until the next full garbage collection.
        one.reject = undefined;
      });
      ended.then((result) => {
        this.beat();
        resolve(result);
      }, reject);
    });
  }

  private readonly beat = (): void => {
    this.ticks = 0;
  };

  private tick(): void {
    this.ticks = this.waiting.size === 0 ? 0 : this.ticks + 1;
    if (this.ticks >= SILENT_AFTER)
      for (const { reject } of this.waiting) reject?.(new DatabaseFault('PostgreSQL is silent.'));
    if (this.ticks % SILENT_AFTER !== ASKED_AFTER) return;
    const client = new Client(this.pool.options).on('error', () => undefined);
    const asked = client.connect().then(() => client.query(''));
    asked.then(this.beat, (error) => sqlState(error) && this.beat()).finally(() => client.end());
  }
}
