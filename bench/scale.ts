/**
 * What each operation costs as the data grows: `npm run bench:scale -- --rows 10000000 [--json <file>]`. Loads sessions
 * with their payments, refunds, events, kept answers and webhooks over 1,000 organizations, one of which holds half, into
 * databases of ten times as many each, and measures a service on each through HTTP, in turns; then workers that claim refunds
 * among as many. Exit code 1: something is not flat, or a plan looks at more than it needs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { onStopSignal } from '../src/operator/process/stop-signals.js';
import { claimLines, measureClaims } from './scale/claims.js';
import { type Cluster, createCluster } from './scale/environment.js';
import { explainAll } from './scale/explain.js';
import { createLoaded, type Loaded } from './scale/loaded.js';
import { measure } from './scale/measuring.js';
import { FLAT, latencyTable, notFlat, planLines, sizeTable } from './scale/report.js';

const SMALLEST = 10_000;
const LARGEST = 100_000_000;
/** For the estimate at the start only; the load tells what is left as it goes. */
const LOAD_MICROSECONDS = 90;
const MEASURE_SECONDS = 45;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { rows, json } = readArguments();
  const steps = stepsTo(rows);
  const all = steps.reduce((sum, step) => sum + step);
  say(
    `Sessions: ${steps.map((step) => step.toLocaleString('en')).join(', ')}; about ${minutesFor(steps, all)} minutes.`,
  );
  const cluster = await createCluster(all, say);
  let removal: Promise<void> | undefined;
  const remove = () => {
    removal ??= cluster.remove();
    return removal;
  };
  onStopSignal(() => void remove().finally(() => process.exit(130)));
  try {
    await run(cluster, steps, json);
  } finally {
    await remove();
  }
}

async function run(cluster: Cluster, steps: readonly number[], json: string): Promise<void> {
  const sizes: Loaded[] = [];
  for (const rows of steps) sizes.push(await createLoaded(cluster, rows, say));
  const results = await measure(sizes, say);
  for (const result of results) say(`\n${sizeTable(result)}`);
  const plans = await explainAll({ ...(sizes.at(-1) as Loaded), logFile: cluster.logFile });
  for (const { sql } of sizes) await sql.end();
  const claims = await measureClaims(cluster, steps, say);
  for (const { refunds, plans: own } of claims) {
    plans.push(...own.map((statement) => ({ operation: `ledger: claim of ${refunds}`, statement })));
  }

  say(`\n${latencyTable(results, 'latencies')}\n`);
  say(
    `Reconcile took ${results.map(({ reconcileMs }) => `${(reconcileMs / 1000).toFixed(1)} s`).join(', ')}; beside it:`,
  );
  say(
    `${latencyTable(results, 'besideReconcile')}\n\nOf itself:\n${latencyTable(results, 'jobs')}\n\n${claimLines(claims)}\n\n${planLines(plans)}\n`,
  );
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, `${JSON.stringify({ results, claims, plans }, null, 2)}\n`);

  const growing = notFlat(results);
  const bad = plans.filter(({ statement }) => statement.faults.length > 0);
  say(
    growing.length === 0 ? `Everything is flat within ${FLAT}×.` : `Not flat within ${FLAT}×: ${growing.join('; ')}.`,
  );
  say(`${plans.length} plans, ${bad.length} of them look at or sort more than they need. All of it: ${json}`);
  if (growing.length + bad.length > 0) process.exitCode = 1;
}

function readArguments(): { rows: number; json: string } {
  const rows = { type: 'string', default: '1000000' } as const;
  const json = { type: 'string', default: 'bench/results/scale.json' } as const;
  const { values } = parseArgs({ options: { rows, json } });
  const number = Number(values.rows);
  if (!(Number.isInteger(number) && number >= SMALLEST && number <= LARGEST)) {
    throw new Error(`--rows is a whole number from ${SMALLEST} to ${LARGEST}.`);
  }
  return { rows: number, json: values.json };
}

/** Ten times as many each time, and at last as many as were asked for. */
function stepsTo(rows: number): number[] {
  const steps: number[] = [];
  for (let step = SMALLEST; step < rows; step *= 10) steps.push(step);
  return [...steps, rows];
}

function minutesFor(steps: readonly number[], rows: number): number {
  return Math.ceil((rows * LOAD_MICROSECONDS) / 6e7 + ((steps.length + 1) * MEASURE_SECONDS) / 60);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
