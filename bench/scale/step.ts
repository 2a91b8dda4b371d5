/** One size of the data: load it, measure everything on it, weigh it. */
import type { Client as Sql } from 'pg';
import { type Client, openClient } from './client.js';
import type { Step } from './drawn.js';
import { type BenchDatabase, openApplication, startService } from './environment.js';
import { reconcile, withDueWork } from './jobs.js';
import { type Latency, latencyOf, measureLatencies, type Repetitions } from './latencies.js';
import { load } from './load-data.js';
import { LOADED_TABLES } from './models.js';
import { ledgerOperations, type Operation, operationsFor } from './operations.js';
import type { StepResult } from './report.js';
import { drawSamples } from './samples.js';
import { readSizes, resetUses } from './sizes.js';
import type { Tenants } from './tenants.js';

const REPETITIONS: Repetitions = { warmUps: 50, measured: 300 };
const BESIDE = ['big: read a session', 'big: list sessions', 'big: create a session', 'big: refund'];

export interface Bench {
  readonly database: BenchDatabase;
  readonly sql: Sql;
  readonly tenants: Tenants;
  readonly say: (line: string) => void;
}

export async function runStep(bench: Bench, step: Step): Promise<StepResult> {
  const { database, sql, say } = bench;
  await load(sql, step, progressOf(step, say));
  const operations = await operationsOn(bench, step);
  say(`Measuring ${operations.length} operations …`);
  await resetUses(sql);
  const service = await startService(database.url);
  const client = openClient(service.url);
  try {
    const latencies = await measureLatencies(client, operations, REPETITIONS);
    const { reconcileMs, besideReconcile } = await measureBesideReconcile(bench, client, operations);
    const sizes = await readSizes(sql, LOADED_TABLES);
    await service.stop();
    return {
      rows: step.rows,
      latencies: { ...latencies, ...(await measureJobs(bench, step)) },
      reconcileMs,
      besideReconcile,
      sizes,
    };
  } finally {
    client.close();
    await service.stop();
  }
}

export async function operationsOn({ sql, tenants, say }: Bench, step: Step): Promise<Operation[]> {
  const { big, small } = tenants;
  const named = (prefix: string, operations: readonly Operation[]) =>
    operations.map(({ name, next }) => ({ name: `${prefix}: ${name}`, next }));
  const ofBig = await drawSamples(sql, step, big);
  const ofSmall = await drawSamples(sql, step, small);
  say(
    `The deep pages are the big organization's ${ofBig.deepPageNumber}th, the small one's ${ofSmall.deepPageNumber}th.`,
  );
  return [
    ...named('big', operationsFor(big, ofBig, step)),
    ...named('small', operationsFor(small, ofSmall, step)),
    ...ledgerOperations(tenants),
  ];
}

async function measureJobs({ database: { url }, sql }: Bench, step: Step): Promise<Record<string, Latency>> {
  return withDueWork({ sql, url, step }, async (jobs) => {
    const latencies: Record<string, Latency> = {};
    for (const { name, batches, run } of jobs) {
      const times: number[] = [];
      for (let batch = 0; batch < batches; batch++) {
        const started = performance.now();
        await run();
        times.push(performance.now() - started);
      }
      latencies[`job: ${name}`] = latencyOf(times);
    }
    return latencies;
  });
}

/** Requests go on while the operator's command reads everything. */
async function measureBesideReconcile({ database }: Bench, client: Client, operations: readonly Operation[]) {
  const application = await openApplication(database.url);
  try {
    const started = performance.now();
    let reconcileMs = 0;
    const reconciled = reconcile(application).finally(() => {
      reconcileMs = performance.now() - started;
    });
    const beside = operations.filter(({ name }) => BESIDE.includes(name));
    const besideReconcile = await measureLatencies(client, beside, REPETITIONS);
    await reconciled;
    return { reconcileMs, besideReconcile };
  } finally {
    await application.close();
  }
}

function progressOf({ rows }: Step, say: (line: string) => void): (done: number) => void {
  const started = performance.now();
  let told = started;
  return (done) => {
    const now = performance.now();
    if (done < rows && now - told < 10_000) return;
    told = now;
    const left = ((now - started) / done) * (rows - done);
    say(`${done.toLocaleString('en')} of ${rows.toLocaleString('en')} sessions loaded; ${seconds(left)} left`);
  };
}

function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
