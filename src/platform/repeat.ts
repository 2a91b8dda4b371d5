import { setTimeout as sleep } from 'node:timers/promises';
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

export interface Repetition {
  stop(): Promise<void>;
}

export interface RepetitionOptions {
  /** One of the module's jobs. */
  readonly job: string;
  readonly everyMs: number;
  /** Told about a run that failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Runs the work after each interval, give or take a fifth, so that several instances do not march in step. */
export function repeat(work: () => Promise<unknown>, { job, everyMs, onError }: RepetitionOptions): Repetition {
  const stopped = new AbortController();
  const run = async () => {
    try {
      await work();
      LAST_RUN.setToCurrentTime({ name: job });
    } catch (error) {
      FAILURES.inc({ name: job });
      onError(error);
    }
  };
  LAST_RUN.setToCurrentTime({ name: job });
  const done = (async () => {
    while (!stopped.signal.aborted) {
      const pause = everyMs * (0.8 + Math.random() * 0.4);
      await sleep(pause, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      if (!stopped.signal.aborted) await run();
    }
  })();
  return {
    stop: () => {
      stopped.abort();
      return done;
    },
  };
}

/** Repeats a batch until it comes back short. After each it rests for as long as that took: requests come first. */
export async function drain(batch: (limit: number) => Promise<number>, limit: number): Promise<void> {
  for (;;) {
    const started = performance.now();
    if ((await batch(limit)) < limit) return;
    await sleep(performance.now() - started);
  }
}
