/** Makes tables for readers from the rounds. */
import type { Round } from './measure.js';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Comparison {
  readonly name: string;
  readonly bare: Figures;
  readonly tillgate: Figures;
  /**
   * Returns the requests per second of the service for one of the baseline's, for rounds that ran
   * next to each other.
   */
  readonly ratio: Spread;
  readonly p99Ratio: number;
}

type Figures = Readonly<Record<Exclude<keyof Round, 'failed' | 'reasons'>, Spread>>;

type Rounds = readonly Round[];

export function compare(name: string, bare: Rounds, tillgate: Rounds): Comparison {
  const ratios = tillgate.map(
    (round, index) => round.perSecond / (bare[index]?.perSecond ?? Number.NaN),
  );
  const figures = { bare: figuresOf(bare), tillgate: figuresOf(tillgate) };
  return {
    name,
    ...figures,
    ratio: spread(ratios),
    p99Ratio: figures.tillgate.p99.median / figures.bare.p99.median,
  };
}

function figuresOf(rounds: readonly Round[]): Figures {
  const of = (pick: (round: Round) => number) => spread(rounds.map(pick));
  return {
    perSecond: of((round) => round.perSecond),
    p50: of((round) => round.p50),
    p99: of((round) => round.p99),
    serverCpu: of((round) => round.serverCpu),
    postgresCpu: of((round) => round.postgresCpu),
  };
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

interface Memory {
  /** Names the load that had just ended. */
  readonly after: string;
  readonly megabytes: readonly { readonly name: string; readonly megabytes: number }[];
}

interface Result {
  readonly starts: { readonly first: number; readonly again: number };
  readonly operations: readonly Comparison[];
  readonly memory: readonly Memory[];
  readonly idle: readonly Idle[];
}

interface Idle {
  readonly name: string;
  /** Holds the milliseconds of CPU that an idle server uses in a second. */
  readonly cpu: number;
}

const HEADINGS = [
  '',
  'req/s',
  '(min to max)',
  'ratio',
  '(min to max)',
  'p50 ms',
  'p99 ms',
  '× bare',
  'CPU µs',
  'PG µs',
];

export function print(
  { starts, operations, memory, idle }: Result,
  say: (line: string) => void,
): void {
  const rows = operations.flatMap(({ name, bare, tillgate, ratio, p99Ratio }) => [
    [`${name} bare`, ...rate(bare), '1.00', '', ...cost(bare)],
    [
      name,
      ...rate(tillgate),
      ratio.median.toFixed(2),
      range(ratio, 2),
      ...cost(tillgate, p99Ratio),
    ],
  ]);
  say(`\n${table([HEADINGS, ...rows])}`);
  say("\nMedians; CPU µs is the server's for each request, PG µs is all of PostgreSQL's.");
  for (const { after, megabytes } of memory)
    say(
      `Memory after ${after}: ${megabytes.map(({ name, megabytes }) => `${name} ${megabytes} MiB`).join(', ')}`,
    );
  say(
    `CPU of an idle second: ${idle.map(({ name, cpu }) => `${name} ${cpu.toFixed(1)} ms`).join(', ')}`,
  );
  say(
    `From process start to the first answer: ${Math.round(starts.first)} ms with initdb, ${Math.round(starts.again)} ms on existing data`,
  );
}

/** Makes columns as wide as their widest cell, with numbers on the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ')).join('\n');
}

function rate({ perSecond }: Figures): string[] {
  return [perSecond.median.toFixed(0), range(perSecond, 0)];
}

function cost({ p50, p99, serverCpu, postgresCpu }: Figures, p99Ratio = 1): string[] {
  const medians = [p50.median.toFixed(1), p99.median.toFixed(1), p99Ratio.toFixed(2)];
  return [...medians, serverCpu.median.toFixed(0), postgresCpu.median.toFixed(0)];
}

function range({ min, max }: Spread, digits: number): string {
  return `${min.toFixed(digits)} to ${max.toFixed(digits)}`;
}
