/** Processor time to spare for a measurement. */
import { cpus } from 'node:os';

const LITTLE = 0.15;

/** Milliseconds of all processors so far. */
function processors(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times);
  const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}

/** Does the work. Resolves with whether the processors were idle for a part of that time. */
export async function hasHeadroom(work: () => Promise<unknown>): Promise<boolean> {
  const start = processors();
  await work();
  const now = processors();
  return (now.idle - start.idle) / (now.all - start.all) > LITTLE;
}

export function sayNotMeasured(what: string): void {
  process.stdout.write(`not measured: ${what}. Other work leaves this machine no processor time to spare.\n`);
}
