/** Runs everything once more and looks at how PostgreSQL went about it. */
import { startService } from '../servers.js';
import { openClient } from './client.js';
import { withDueWork } from './jobs.js';
import type { Loaded } from './loaded.js';
import { type PlanLog, type StatementPlan, withPlans } from './plans.js';
import type { PlanResult } from './report.js';

/** As long as the service needs to have swept and looked for webhooks of itself. */
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
      // What the service does of itself turns up between the requests.
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
