import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Jobs } from '../jobs.js';
import { Database } from './database.js';

const INTERVAL_MS = 2_000;
/** Tables that have grown and were never analyzed. Only their owner may do that. */
const GROWN = {
  name: 'database.never_analyzed',
  text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples < 0 AND pg_relation_size(oid) >= 65536
    AND relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE')`,
};
const OWNER = { queue: 'database.first_statistics' };

/**
 * Gives new tables their first statistics. PostgreSQL does so within minutes, and until then chooses among indexes that begin
 * with the same columns by chance: a list of an organization may read all that it has.
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
