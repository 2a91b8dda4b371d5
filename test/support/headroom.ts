/** Tells whether a measurement had processor time to spare. */
import { cpus } from 'node:os';

const LITTLE = 0.15;

/** Returns the idle milliseconds of all processors so far. */
const idle = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Does the work. Resolves with whether the processors were idle for a part of that time. */
export async function hasHeadroom(work: () => Promise<unknown>): Promise<boolean> {
  const [start, startedAt] = [idle(), performance.now()];
  await work();
  // The idle time is compared with the time on the clock, because another machine on the same host
  // may take time that is neither idle nor busy here.
  return (idle() - start) / (performance.now() - startedAt) / cpus().length > LITTLE;
}

export function sayNotMeasured(what: string): void {
  process.stdout.write(
    `not measured: ${what}. Other work leaves this machine no processor time to spare.\n`,
  );
}
