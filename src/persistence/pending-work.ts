import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Jobs } from '../platform/jobs.js';
import { Declarations } from '../platform/module-declaration.js';
import { Database } from './database.js';
import { statement } from './statement.js';

/** Work that this process was not told of may wait so long before its job begins. */
const INTERVAL_MS = 2_000;
const JOB = 'find_pending_work';

/**
 * The parts keep their ORDER BY, which EXISTS would drop: without it, PostgreSQL may read a whole
 * table in which it wrongly expects many such rows.
 */
const ofDeclarations = ({ jobWork }: Pick<Declarations, 'jobWork'>) => {
  const names = jobWork.map(
    ({ job, pending }) => `(SELECT '${job}' AS job FROM (${pending}) AS pending)`,
  );
  return statement(
    'jobs.pending_work',
    () => `/* every organization: jobs work for all of them */ ${names.join(' UNION ALL ')}`,
  );
};

/**
 * Finds out by one statement which jobs have work, so that an idle process is woken, and asks
 * PostgreSQL, once for all of them.
 */
@Injectable()
export class PendingWork implements OnApplicationBootstrap {
  private readonly statement: ReturnType<typeof ofDeclarations>;

  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
    private readonly jobs: Jobs,
  ) {
    this.statement = ofDeclarations(declarations);
  }

  onApplicationBootstrap(): void {
    // On Citus, each part of the statement asks all machines, and so costs as much as its job.
    const isWorthwhile = this.declarations.jobWork.length > 0 && !this.database.isDistributed;
    if (isWorthwhile) this.jobs.repeat(JOB, INTERVAL_MS, () => this.find());
  }

  private async find(): Promise<void> {
    const find = this.statement.of({});
    try {
      const { rows } = await this.database.autocommit<{ job: string }>({ queue: JOB }, ...find);
      const found = new Set(rows.map(({ job }) => job));
      for (const { job } of this.declarations.jobWork) this.jobs.tell(job, found.has(job));
    } catch (error) {
      // The jobs look for their work themselves until the statement succeeds again.
      for (const { job } of this.declarations.jobWork) this.jobs.tell(job, true);
      throw error;
    }
  }
}
