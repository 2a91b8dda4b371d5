/** How long operations take, one after another on one connection, in turns so that what disturbs one disturbs all. */
import type { Client } from './client.js';
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

export async function measureLatencies(
  client: Client,
  operations: readonly Operation[],
  { warmUps, measured }: Repetitions,
): Promise<Record<string, Latency>> {
  const times = new Map<string, number[]>(operations.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < measured; round++) {
    for (const { name, next } of operations) {
      const request = next();
      const started = performance.now();
      await client.send(request);
      if (round >= 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return Object.fromEntries([...times].map(([name, of]) => [name, latencyOf(of)]));
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}
