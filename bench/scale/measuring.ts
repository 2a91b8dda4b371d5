/** Measures every size of the data, in turns: a shared machine is faster in one minute than in the next. */
import { startService } from '../servers.js';
import { openClient } from './client.js';
import { openApplication } from './environment.js';
import { openDueWork, reconcileAll } from './jobs.js';
import { type Latency, latencyOf, measureLatencies, type Repetitions, type Subject } from './latencies.js';
import type { Loaded } from './loaded.js';
import { LOADED_TABLES } from './models.js';
import { ASKED_FOR } from './operations.js';
import type { StepResult } from './report.js';
import { readSizes, resetUses } from './sizes.js';

const REPETITIONS: Repetitions = { warmUps: ASKED_FOR, measured: 300 };
const BESIDE = ['big: read a session', 'big: list sessions', 'big: create a session', 'big: refund'];
const TOLD_EVERY_MS = 10_000;

export async function measure(sizes: readonly Loaded[], say: (line: string) => void): Promise<StepResult[]> {
  const requests = await measureRequests(sizes, say);
  const jobs = await measureJobs(sizes);
  return requests.map((result, at) => ({ ...result, jobs: jobs[at] ?? {} }));
}

async function measureRequests(
  sizes: readonly Loaded[],
  say: (line: string) => void,
): Promise<Omit<StepResult, 'jobs'>[]> {
  const services = await Promise.all(sizes.map(({ url }) => startService({ DATABASE_URL: url })));
  const clients = services.map(({ url }) => openClient(url));
  const subjects = sizes.map(({ operations }, at) => ({ client: clients[at] as Subject['client'], operations }));
  try {
    for (const { sql } of sizes) await resetUses(sql);
    const latencies = await measureLatencies(subjects, REPETITIONS, progressOf(say));
    const results: Omit<StepResult, 'jobs'>[] = [];
    for (const [at, { step, sql, url }] of sizes.entries()) {
      say(`Reconciling ${step.rows.toLocaleString('en')} sessions …`);
      const beside = await measureBesideReconcile(url, subjects[at] as Subject);
      const weighed = await readSizes(sql, LOADED_TABLES);
      results.push({ rows: step.rows, latencies: latencies[at] ?? {}, ...beside, sizes: weighed });
    }
    return results;
  } finally {
    for (const client of clients) client.close();
    for (const service of services) await service.stop();
  }
}

/** Requests go on while the operator's command reads everything. */
async function measureBesideReconcile(url: string, { client, operations }: Subject) {
  const application = await openApplication(url);
  try {
    const started = performance.now();
    let reconcileMs = 0;
    const reconciled = reconcileAll(application).finally(() => {
      reconcileMs = performance.now() - started;
    });
    const beside = operations.filter(({ name }) => BESIDE.includes(name));
    const [besideReconcile = {}] = await measureLatencies([{ client, operations: beside }], REPETITIONS);
    await reconciled;
    return { reconcileMs, besideReconcile };
  } finally {
    await application.close();
  }
}

async function measureJobs(sizes: readonly Loaded[]): Promise<Record<string, Latency>[]> {
  const works = [];
  for (const size of sizes) works.push(await openDueWork(size));
  const results = works.map((): Record<string, Latency> => ({}));
  for (const [at, { name, batches }] of works[0]?.jobs.entries() ?? []) {
    const times = works.map((): number[] => []);
    for (let batch = 0; batch < batches; batch++) {
      for (const [place, { jobs }] of works.entries()) {
        const started = performance.now();
        await jobs[at]?.run();
        times[place]?.push(performance.now() - started);
      }
    }
    for (const [place, result] of results.entries()) result[name] = latencyOf(times[place] ?? []);
  }
  for (const { close } of works) await close();
  return results;
}

function progressOf(say: (line: string) => void): (share: number) => void {
  let told = performance.now();
  return (share) => {
    const now = performance.now();
    if (share < 1 && now - told < TOLD_EVERY_MS) return;
    told = now;
    say(`${Math.round(share * 100)} % measured`);
  };
}
