/**
 * What each operation costs as the data grows: `npm run bench:scale -- --rows 10000000 [--json <file>]`. Loads sessions
 * with their payments, refunds, events, kept answers and webhooks over 1,000 organizations, one of which holds half, in
 * steps of ten times as many, and measures the service through HTTP at each. Exit code 1: something is not flat, or a
 * plan looks at more than it needs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Client as Sql } from 'pg';
import { onStopSignal } from '../src/platform/stop-signals.js';
import { openClient } from './scale/client.js';
import { type BenchDatabase, createDatabase, openApplication, startService } from './scale/environment.js';
import { explainAll } from './scale/explain.js';
import { prepareLoading } from './scale/load-data.js';
import { makeModels } from './scale/models.js';
import { FLAT, latencyTable, notFlat, planLines, type StepResult, sizeTable } from './scale/report.js';
import { type Bench, operationsOn, runStep } from './scale/step.js';
import { createTenants } from './scale/tenants.js';

const SMALLEST = 10_000;
const LARGEST = 100_000_000;
/** For the estimate at the start only; the load tells what is left as it goes. */
const LOAD_MICROSECONDS = 90;
const MEASURE_SECONDS = 100;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { rows, json } = readArguments();
  const steps = stepsTo(rows);
  say(`Sessions: ${steps.map((step) => step.toLocaleString('en')).join(', ')}; about ${minutesFor(steps)} minutes.`);
  const database = await createDatabase(rows, say);
  let removal: Promise<void> | undefined;
  const remove = () => {
    removal ??= database.remove();
    return removal;
  };
  onStopSignal(() => void remove().finally(() => process.exit(130)));
  try {
    await run(await prepare(database), steps, json);
  } finally {
    await remove();
  }
}

async function prepare(database: BenchDatabase): Promise<Bench> {
  const sql = new Sql({ connectionString: database.url });
  sql.on('error', () => undefined);
  await sql.connect();
  const application = await openApplication(database.url);
  const tenants = await createTenants(application).finally(() => application.close());
  const service = await startService(database.url);
  const client = openClient(service.url);
  await makeModels(sql, client, tenants).finally(() => client.close());
  await service.stop();
  await prepareLoading(sql, tenants);
  return { database, sql, tenants, say };
}

async function run(bench: Bench, steps: readonly number[], json: string): Promise<void> {
  const results: StepResult[] = [];
  let end = 0;
  for (const rows of steps) {
    end = Date.now();
    const result = await runStep(bench, { rows, end });
    results.push(result);
    say(`\n${sizeTable(result)}\n`);
  }
  const step = { rows: steps.at(-1) as number, end };
  const { sql, database } = bench;
  const operations = await operationsOn(bench, step);
  const plans = await explainAll({ sql, url: database.url, logFile: database.logFile, step, operations });
  await sql.end();

  say(`\n${latencyTable(results, ({ latencies }) => latencies)}\n`);
  say(
    `Reconcile took ${results.map(({ reconcileMs }) => `${(reconcileMs / 1000).toFixed(1)} s`).join(', ')}; beside it:`,
  );
  say(`${latencyTable(results, ({ besideReconcile }) => besideReconcile)}\n\n${planLines(plans)}\n`);
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, `${JSON.stringify({ results, plans }, null, 2)}\n`);

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

function minutesFor(steps: readonly number[]): number {
  const loaded = steps.reduce((sum, rows) => sum + rows);
  return Math.ceil((loaded * LOAD_MICROSECONDS) / 6e7 + ((steps.length + 1) * MEASURE_SECONDS) / 60);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
