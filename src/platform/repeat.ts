import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  stop(): Promise<void>;
}

export interface RepetitionOptions {
  readonly everyMs: number;
  /** Told about a run that failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Runs the work after each interval, give or take a fifth, so that several instances do not march in step. */
export function repeat(work: () => Promise<unknown>, { everyMs, onError }: RepetitionOptions): Repetition {
  const stopped = new AbortController();
  const done = (async () => {
    while (!stopped.signal.aborted) {
      const pause = everyMs * (0.8 + Math.random() * 0.4);
      await sleep(pause, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      if (!stopped.signal.aborted) await work().catch(onError);
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
