import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { facts } from './facts.js';
import { counter, gauge } from './metric.js';

const LAST_RUN = gauge({
  name: 'tillgate_job_last_run_timestamp_seconds',
  help: 'When the job last ended without an error, or when the process began to repeat it.',
  labels: { name: facts.jobs },
  // Processes share the work: one that does it is enough.
  aggregator: 'max',
});
const FAILURES = counter({
  name: 'tillgate_job_failures_total',
  help: 'Runs that ended with an error. The next run comes all the same.',
  labels: { name: facts.jobs },
});
export const JOB_METRICS = [LAST_RUN, FAILURES];

/** Work that repeats for as long as the process serves. */
@Injectable()
export class Jobs implements OnModuleDestroy {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>[] = [];

  /**
   * Runs one of the module's jobs after each interval, give or take a fifth, so that several instances do not march in step.
   * A run that fails is logged, and the next one comes all the same.
   */
  repeat(name: string, everyMs: number, work: () => Promise<unknown>): void {
    LAST_RUN.setToCurrentTime({ name });
    this.running.push(this.run(name, everyMs, work));
  }

  /** What a job works with may end in a later phase of the shutdown: by then no job runs. */
  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    await Promise.all(this.running);
  }

  private async run(name: string, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopped;
    const logger = new Logger(name);
    for (;;) {
      await sleep(everyMs * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await work();
        LAST_RUN.setToCurrentTime({ name });
      } catch (error) {
        FAILURES.inc({ name });
        logger.warn(error);
      }
    }
  }
}

/** Repeats a batch until it comes back short. After each it rests for as long as that took: requests come first. */
export async function inBatches(batch: (limit: number) => Promise<number>, limit: number): Promise<void> {
  for (;;) {
    const started = performance.now();
    if ((await batch(limit)) < limit) return;
    await sleep(performance.now() - started);
  }
}
