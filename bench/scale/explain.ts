/** Runs everything once more and looks at how PostgreSQL went about it. */
import { startService } from '../servers.js';
import { openClient } from './client.js';
import { openDueWork } from './jobs.js';
import type { Loaded } from './loaded.js';
import { logPlans, PlanLog, type StatementPlan, stopLoggingPlans } from './plans.js';
import type { PlanResult } from './report.js';

/** As long as the service needs to have swept and looked for webhooks of itself. */
const IDLE_MS = 8_000;

interface Explained extends Loaded {
  readonly logFile: string;
}

export async function explainAll(explained: Explained): Promise<PlanResult[]> {
  const { sql, logFile } = explained;
  const results: PlanResult[] = [];
  const add = (operation: string, statements: readonly StatementPlan[]) => {
    for (const statement of statements) results.push({ operation, statement });
  };
  try {
    await logPlans(sql);
    const log = new PlanLog(logFile);
    await explainRequests(explained, log, add);
    await explainJobs(explained, log, add);
    log.close();
  } finally {
    await stopLoggingPlans(sql);
  }
  return results;
}

type Add = (operation: string, statements: readonly StatementPlan[]) => void;

async function explainRequests({ url, operations }: Explained, log: PlanLog, add: Add): Promise<void> {
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

async function explainJobs(explained: Explained, log: PlanLog, add: Add): Promise<void> {
  const { jobs, close } = await openDueWork(explained);
  for (const { name, run } of jobs) {
    log.read();
    await run();
    add(name, firstOfEach(log.read()));
  }
  await close();
}

function firstOfEach(statements: readonly StatementPlan[]): StatementPlan[] {
  return [...new Map(statements.toReversed().map((statement) => [statement.sql, statement])).values()].reverse();
}
