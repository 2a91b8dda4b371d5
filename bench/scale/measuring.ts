/**
 * Measures how long operations take, one after another on one connection, at each size of the data
 * in turns: a disturbance disturbs all sizes.
 */
import { command, startService } from '../servers.js';
import { type Client, openClient } from './client.js';
import type { Loaded } from './loaded.js';
import { LOADED_TABLES } from './models.js';
import { ASKED_FOR, type Operation } from './operations.js';

export interface Latency {
  /** The median is in milliseconds. */
  readonly median: number;
  readonly p99: number;
}

export interface StepResult {
  readonly rows: number;
  /** Latencies by organization and operation: `big: list sessions`. */
  readonly latencies: Readonly<Record<string, Latency>>;
  readonly reconcileMs: number;
  readonly sizes: readonly RelationSize[];
}

interface RelationSize {
  readonly table: string;
  /** The name of the index, or null for the table itself. */
  readonly index: string | null;
  /** The rows of the table, even if the size is that of an index. */
  readonly rows: number;
  readonly bytes: number;
}

const MEASURED = 300;
/**
 * So many requests go to one service in a row: the first of them replace what the processor's cache
 * has of another service.
 */
const IN_A_ROW = 10;

/** Lists the tables with the indexes of each, in the order of their names. */
const SIZES = `WITH heap AS (
    SELECT oid, relname AS name, reltuples::float8 AS rows FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) AND relkind = 'r'
  )
  SELECT name AS table, NULL AS index, rows, pg_table_size(oid)::float8 AS bytes FROM heap
  UNION ALL
  SELECT name, indexrelname, rows, pg_relation_size(indexrelid)::float8
  FROM heap JOIN pg_stat_user_indexes ON relid = heap.oid
  ORDER BY 1, 2 NULLS FIRST`;

export async function measure(
  sizes: readonly Loaded[],
  say: (line: string) => void,
): Promise<StepResult[]> {
  const latencies = await measureLatencies(sizes);
  const results: StepResult[] = [];
  for (const [at, { step, sql, url }] of sizes.entries()) {
    say(`Reconciling ${step.rows.toLocaleString('en')} sessions …`);
    const started = performance.now();
    command(url, 'reconcile');
    const reconcileMs = performance.now() - started;
    const { rows: weighed } = await sql.query(SIZES, [LOADED_TABLES]);
    results.push({ rows: step.rows, latencies: latencies[at] ?? {}, reconcileMs, sizes: weighed });
  }
  return results;
}

/**
 * Measures the operations, which are the same for all sizes. Returns the latencies of each size, by
 * their names.
 */
async function measureLatencies(sizes: readonly Loaded[]): Promise<Record<string, Latency>[]> {
  const services = await Promise.all(sizes.map(({ url }) => startService({ DATABASE_URL: url })));
  const clients = services.map(({ url }) => openClient(url));
  const names = sizes[0]?.operations.map(({ name }) => name) ?? [];
  const times = sizes.map(() => names.map((): number[] => []));
  try {
    for (let round = -ASKED_FOR; round < MEASURED; round += IN_A_ROW) {
      for (const at of names.keys()) {
        for (const [place, { operations }] of sizes.entries()) {
          const took = await timesOf(clients[place] as Client, operations[at] as Operation);
          if (round >= 0) times[place]?.[at]?.push(...took);
        }
      }
    }
  } finally {
    for (const client of clients) client.close();
    for (const service of services) await service.stop();
  }
  return times.map((of) => Object.fromEntries(of.map((each, at) => [names[at], latencyOf(each)])));
}

async function timesOf(client: Client, { next }: Operation): Promise<number[]> {
  const times: number[] = [];
  for (let request = 0; request < IN_A_ROW; request++) {
    const started = performance.now();
    await client.send(next());
    times.push(performance.now() - started);
  }
  return times;
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}
