/** Runs every operation once more and reads the plans of PostgreSQL. */
import { startService } from '../servers.js';
import { openClient } from './client.js';
import { withDueWork } from './jobs.js';
import type { Loaded } from './loaded.js';
import { type PlanLog, type StatementPlan, withPlans } from './plans.js';
import type { PlanResult } from './report.js';

/** In this time the service sweeps and looks for webhooks by itself. */
const IDLE_MS = 8_000;

type Add = (operation: string, statements: readonly StatementPlan[]) => void;

export async function explainAll(loaded: Loaded, logFile: string): Promise<PlanResult[]> {
  const results: PlanResult[] = [];
  const add: Add = (operation, statements) => {
    for (const statement of statements) results.push({ operation, statement });
  };
  await withPlans(loaded.sql, logFile, async (log) => {
    await explainRequests(loaded, log, add);
    await explainJobs(loaded, log, add);
  });
  return results;
}

async function explainRequests({ url, operations }: Loaded, log: PlanLog, add: Add): Promise<void> {
  const service = await startService({ DATABASE_URL: url });
  const client = openClient(service.url);
  try {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const ofItself = firstOfEach(log.read());
    add('of itself', ofItself);
    for (const { name, next } of operations) {
      await client.send(next());
      // Plans of the service's own jobs appear between those of the requests.
      add(
        name,
        firstOfEach(log.read()).filter(({ sql }) => !ofItself.some((own) => own.sql === sql)),
      );
    }
  } finally {
    client.close();
    await service.stop();
  }
}

async function explainJobs(loaded: Loaded, log: PlanLog, add: Add): Promise<void> {
  await withDueWork(loaded, async (jobs) => {
    for (const [name, run] of Object.entries(jobs)) {
      log.read();
      await run();
      add(name, firstOfEach(log.read()));
    }
  });
}

function firstOfEach(statements: readonly StatementPlan[]): StatementPlan[] {
  return [
    ...new Map(statements.toReversed().map((statement) => [statement.sql, statement])).values(),
  ].reverse();
}
