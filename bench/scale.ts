/**
 * `npm run task -- bench:scale --rows 10000000 [--organizations 1000] [--json <file>]` measures
 * what each operation costs as the data grows. It loads sessions with their payments, refunds,
 * events, stored responses and webhooks into databases, each with ten times as many rows as the
 * one before. The rows belong to 1,000 organizations, one of which holds half. If there are more,
 * the others are tiny, and PostgreSQL must not plan for those. It measures a service on each
 * database through HTTP, in turns, and then workers that claim refunds. It exits with 1 if an
 * operation is not flat, or if a plan looks at more rows than it needs.
 */
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { claimLines, measureClaims } from './scale/claims.js';
import { explainAll } from './scale/explain.js';
import { createLoaded, type Loaded } from './scale/loaded.js';
import { measure } from './scale/measuring.js';
import { FLAT, latencyTable, notFlat, planLines, sizeTable } from './scale/report.js';
import { type BenchDatabase, openBenchDatabase } from './servers.js';

const SMALLEST = 10_000;
const LARGEST = 100_000_000;
/** Two of them are those that are measured. */
const FEWEST = 3;
/**
 * This was measured: sessions with all that hangs on them, their indexes, and what the write-ahead
 * log may hold meanwhile.
 */
const BYTES_PER_ROW = 2_700;
const BYTES_BESIDES = 6e9;

interface Wanted {
  readonly organizations: number;
  readonly json: string;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { rows, organizations, json } = readArguments();
  const steps = stepsTo(rows);
  const all = steps.reduce((sum, step) => sum + step);
  say(`Sessions: ${steps.map((step) => step.toLocaleString('en')).join(', ')}.`);
  refuseWithoutRoom(all);
  const database = await openBenchDatabase();
  try {
    await run(database, { steps, organizations, json });
  } finally {
    await database.close();
  }
}

function refuseWithoutRoom(rows: number): void {
  const needed = BYTES_BESIDES + rows * BYTES_PER_ROW;
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize >= needed) return;
  const [need, free] = [needed, bavail * bsize].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  throw new Error(
    `${rows} rows need ${need} in ${tmpdir()}, where ${free} are free. TMPDIR names another place, --rows fewer.`,
  );
}

async function run(
  database: BenchDatabase,
  { steps, organizations, json }: Wanted & { readonly steps: readonly number[] },
): Promise<void> {
  const sizes: Loaded[] = [];
  for (const rows of steps) sizes.push(await createLoaded(database, { rows, organizations }, say));
  const results = await measure(sizes, say);
  for (const result of results) say(`\n${sizeTable(result)}`);
  const plans = await explainAll(sizes.at(-1) as Loaded, database.logFile);
  for (const { sql } of sizes) await sql.end();
  const claims = await measureClaims(database, steps, say);
  for (const { refunds, plans: own } of claims) {
    plans.push(
      ...own.map((statement) => ({ operation: `ledger: claim of ${refunds}`, statement })),
    );
  }

  say(`\n${latencyTable(results)}\n`);
  say(
    `Reconcile took ${results.map(({ reconcileMs }) => `${(reconcileMs / 1000).toFixed(1)} s`).join(', ')}.`,
  );
  say(`\n${claimLines(claims)}\n\n${planLines(plans)}\n`);
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, `${JSON.stringify({ results, claims, plans }, null, 2)}\n`);

  const growing = notFlat(results);
  const bad = plans.filter(({ statement }) => statement.faults.length > 0);
  say(
    growing.length === 0
      ? `Everything is flat within ${FLAT}×.`
      : `Not flat within ${FLAT}×: ${growing.join('; ')}.`,
  );
  say(
    `${plans.length} plans, ${bad.length} of them look at or sort more than they need. All of it: ${json}`,
  );
  if (growing.length + bad.length > 0) process.exitCode = 1;
}

function readArguments(): Wanted & { readonly rows: number } {
  const rows = { type: 'string', default: '1000000' } as const;
  const json = { type: 'string', default: 'bench/results/scale.json' } as const;
  const organizations = { type: 'string', default: '1000' } as const;
  const { values } = parseArgs({ options: { rows, organizations, json } });
  const many = Number(values.organizations);
  if (!(Number.isInteger(many) && many >= FEWEST && many <= SMALLEST * 10))
    throw new Error(`--organizations is a whole number from ${FEWEST} to ${SMALLEST * 10}.`);
  const number = Number(values.rows);
  if (!(Number.isInteger(number) && number >= SMALLEST && number <= LARGEST)) {
    throw new Error(`--rows is a whole number from ${SMALLEST} to ${LARGEST}.`);
  }
  return { rows: number, organizations: many, json: values.json };
}

/** Returns ten times as many rows each time, and at last the requested number. */
function stepsTo(rows: number): number[] {
  const steps: number[] = [];
  for (let step = SMALLEST; step < rows; step *= 10) steps.push(step);
  return [...steps, rows];
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
