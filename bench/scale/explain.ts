/** Runs everything once more under each way of planning and looks at how PostgreSQL went about it. */
import type { Client as Sql } from 'pg';
import { openClient } from './client.js';
import type { Step } from './drawn.js';
import { startService } from './environment.js';
import { withDueWork } from './jobs.js';
import type { Operation } from './operations.js';
import { logPlans, PLAN_MODES, PlanLog, type StatementPlan, stopLoggingPlans } from './plans.js';
import type { PlanResult } from './report.js';

/** As long as the service needs to have swept and looked for webhooks of itself. */
const IDLE_MS = 8_000;

interface Explained {
  readonly sql: Sql;
  readonly url: string;
  readonly logFile: string;
  readonly step: Step;
  readonly operations: readonly Operation[];
}

export async function explainAll(explained: Explained): Promise<PlanResult[]> {
  const { sql, logFile } = explained;
  const results: PlanResult[] = [];
  try {
    for (const mode of PLAN_MODES) {
      await logPlans(sql, mode);
      const log = new PlanLog(logFile);
      const add = (operation: string, statements: readonly StatementPlan[]) => {
        for (const statement of statements) results.push({ operation, mode, statement });
      };
      await explainRequests(explained, log, add);
      await explainJobs(explained, log, add);
      log.close();
    }
  } finally {
    await stopLoggingPlans(sql);
  }
  return results;
}

type Add = (operation: string, statements: readonly StatementPlan[]) => void;

async function explainRequests({ url, operations }: Explained, log: PlanLog, add: Add): Promise<void> {
  const service = await startService(url);
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

async function explainJobs({ sql, url, step }: Explained, log: PlanLog, add: Add): Promise<void> {
  await withDueWork({ sql, url, step }, async (jobs) => {
    for (const { name, run } of jobs) {
      log.read();
      await run();
      add(name, firstOfEach(log.read()));
    }
  });
}

function firstOfEach(statements: readonly StatementPlan[]): StatementPlan[] {
  return [...new Map(statements.toReversed().map((statement) => [statement.sql, statement])).values()].reverse();
}
