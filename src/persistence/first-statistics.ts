import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Jobs } from '../platform/jobs.js';
import { Database } from './database.js';

const INTERVAL_MS = 2_000;
/** Tables ten times as large as when they were analyzed, or never analyzed and above 64 KiB. Only their owner may do that. */
const GROWN = {
  name: 'database.grown_tables',
  text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) >= greatest(65536, 81920 * relpages)
    AND relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE')`,
};
const OWNER = { queue: 'database.first_statistics' };

/**
 * Gives tables that grow their first statistics. PostgreSQL does so within minutes, and takes a table for small until then: it
 * chooses among its indexes by chance, and a list of one organization may read the rows of all.
 */
@Injectable()
export class FirstStatistics implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('analyze_new_tables', INTERVAL_MS, () => this.analyze());
  }

  async analyze(): Promise<void> {
    const tables = await this.database.read<{ name: string }>(OWNER, GROWN, []);
    for (const { name } of tables) {
      await this.database.autocommit(OWNER, { name: `database.analyze ${name}`, text: `ANALYZE ${name}` }, []);
    }
  }
}
