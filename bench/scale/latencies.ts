/** How long operations take, one after another on one connection, in turns so that what disturbs one disturbs all. */
import type { Client, Request } from './client.js';
import type { Operation } from './operations.js';

export interface Latency {
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
}

export interface Repetitions {
  readonly warmUps: number;
  readonly measured: number;
}

/** A service on some data, and what to ask it. */
export interface Subject {
  readonly client: Client;
  readonly operations: readonly Operation[];
}

/** Requests to one service in a row: what the processor has of another's by then is forgotten in the first of them. */
const IN_A_ROW = 10;

/** All subjects have the same operations. Returns what each subject's took, by their names. */
export async function measureLatencies(
  subjects: readonly Subject[],
  { warmUps, measured }: Repetitions,
  progress: (done: number) => void = () => undefined,
): Promise<Record<string, Latency>[]> {
  const names = subjects[0]?.operations.map(({ name }) => name) ?? [];
  const times = subjects.map(() => names.map((): number[] => []));
  for (let round = -warmUps; round < measured; round += IN_A_ROW) {
    for (const at of names.keys()) {
      for (const [place, { client, operations }] of subjects.entries()) {
        const { next } = operations[at] as Operation;
        for (let request = 0; request < IN_A_ROW; request++) {
          const time = await timeOf(client, next());
          if (round >= 0) times[place]?.[at]?.push(time);
        }
      }
    }
    progress((round + warmUps + IN_A_ROW) / (warmUps + measured));
  }
  return times.map((of) => Object.fromEntries(of.map((each, at) => [names[at], latencyOf(each)])));
}

async function timeOf(client: Client, request: Request): Promise<number> {
  const started = performance.now();
  await client.send(request);
  return performance.now() - started;
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}
