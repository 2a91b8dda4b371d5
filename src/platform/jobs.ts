import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { MovedClock } from '../shared/clock.js';
import { counter, gauge } from './metric.js';

const NAME = 'the job, as the log names it';
const LAST_RUN = gauge({
  name: 'tillgate_job_last_run_timestamp_seconds',
  help:
    'When the job last ended without an error, was last found to have no work, or was begun by ' +
    'the process.',
  labels: { name: NAME },
  // Processes share the work, so a run by any of them counts.
  aggregator: 'max',
});
const FAILURES = counter({
  name: 'tillgate_job_failures_total',
  help: 'Runs that ended with an error. The next run comes all the same.',
  labels: { name: NAME },
});
export const JOB_METRICS = [LAST_RUN, FAILURES];

/**
 * A sweep does the work that is due. If a test clock was moved, it works for the clock's caller
 * alone.
 */
type Sweep = (clock?: MovedClock) => Promise<unknown>;

interface Job {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly logger: Logger;
  /** The job waits without a timer while this is false. */
  hasWork: boolean;
  timer?: NodeJS.Timeout;
  running?: Promise<void> | undefined;
}

@Injectable()
export class Jobs implements OnModuleDestroy {
  private readonly stopped = new AbortController();
  private readonly jobs: Job[] = [];
  /** These sweeps also run when a test clock was moved. */
  readonly sweeps: Sweep[] = [];

  /**
   * Runs a job after each interval, which varies by a fifth, so that instances do not run it
   * together. Logs runs that fail.
   */
  repeat(name: string, everyMs: number, work: () => Promise<unknown>): void {
    LAST_RUN.setToCurrentTime({ name });
    FAILURES.inc({ name }, 0);
    const job: Job = { name, everyMs, work, logger: new Logger(name), hasWork: true };
    this.jobs.push(job);
    this.plan(job);
  }

  /**
   * Repeats a sweep. When a test clock was moved, the sweeps of a module run before those of the
   * modules that it builds on: for example, the sweep that pays sessions runs before the sweep that
   * expires them.
   */
  sweep(name: string, everyMs: number, sweep: Sweep): void {
    this.sweeps.unshift(sweep);
    this.repeat(name, everyMs, () => sweep());
  }

  /**
   * Tells a job whether it has work. The job runs at once if it has some again, and does not run
   * while it has none.
   */
  tell(name: string, hasWork: boolean): void {
    const job = this.jobs.find((one) => one.name === name);
    if (job === undefined) return;
    const hadWork = job.hasWork;
    job.hasWork = hasWork;
    if (job.running !== undefined) return;
    if (hasWork) {
      if (!hadWork) this.start(job);
      return;
    }
    clearTimeout(job.timer);
    LAST_RUN.setToCurrentTime({ name });
  }

  /** Long work ends early when this is aborted, because the shutdown waits for it. */
  get stopping(): AbortSignal {
    return this.stopped.signal;
  }

  /**
   * Waits for the jobs, because the connections that they use are closed in a later phase of the
   * shutdown.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    for (const { timer } of this.jobs) clearTimeout(timer);
    await Promise.all(this.jobs.map(({ running }) => running));
  }

  private plan(job: Job): void {
    if (this.stopped.signal.aborted || !job.hasWork) return;
    const afterMs = job.everyMs * (0.8 + Math.random() * 0.4);
    job.timer = setTimeout(() => this.start(job), afterMs).unref();
  }

  private start(job: Job): void {
    if (this.stopped.signal.aborted) return;
    job.running = this.run(job).then(() => {
      job.running = undefined;
      this.plan(job);
    });
  }

  private async run({ name, work, logger }: Job): Promise<void> {
    try {
      await work();
      LAST_RUN.setToCurrentTime({ name });
    } catch (error) {
      FAILURES.inc({ name });
      logger.warn(error);
    }
  }
}
