import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads every event under a lock that lets others read and write. */
export class AnyEventValid1763700000012 implements MigrationInterface {
  readonly name = 'AnyEventValid1763700000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE events VALIDATE CONSTRAINT events_type');
    await runner.query('ALTER TABLE events VALIDATE CONSTRAINT events_sequence');
  }

  /** A check that is valid cannot be made less: the step before takes it away. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
  }
}
