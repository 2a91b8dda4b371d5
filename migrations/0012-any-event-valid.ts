import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates all events, under a lock that lets others read and write. */
export class AnyEventValid1763700000012 implements MigrationInterface {
  readonly name = 'AnyEventValid1763700000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE events VALIDATE CONSTRAINT events_type');
    await runner.query('ALTER TABLE events VALIDATE CONSTRAINT events_sequence');
  }

  /** Nothing to revert: a constraint cannot become invalid again, and the previous step drops it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
  }
}
