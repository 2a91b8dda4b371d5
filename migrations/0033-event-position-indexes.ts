import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  events_list: '(organization_id, mode, position, id)',
  events_list_of_type: '(organization_id, mode, type, position, id)',
  // For the ledger, which lists the events of all organizations.
  events_list_across: '(mode, type, position, id)',
};
const BEFORE = { events_type_list: '(organization_id, mode, type, id)' };

/** Not a transaction, because it reads a large table while others write to it. After an interruption it can be run again. */
export class EventPositionIndexes1763700000033 implements MigrationInterface {
  readonly name = 'EventPositionIndexes1763700000033';
  readonly transaction = false;

  /** Without events_type_list, the previous version reads more events for a list of one type until its processes have ended. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await replace(runner, BEFORE, INDEXES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await replace(runner, INDEXES, BEFORE);
  }
}

async function replace(
  runner: QueryRunner,
  dropped: Record<string, string>,
  built: Record<string, string>,
): Promise<void> {
  for (const [name, columns] of Object.entries(built)) {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON events ${columns}`);
  }
  for (const name of Object.keys(dropped))
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
