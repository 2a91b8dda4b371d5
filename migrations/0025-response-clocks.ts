import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A stored response tells the test clock under which it was stored. Null for one that the version before has stored. */
export class ResponseClocks1763700000025 implements MigrationInterface {
  readonly name = 'ResponseClocks1763700000025';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE idempotency_keys ADD COLUMN ahead_seconds integer');
    // By itself, because Citus adds no constraint together with something else.
    await runner.query(`ALTER TABLE idempotency_keys
      ADD CONSTRAINT idempotency_keys_ahead CHECK (ahead_seconds BETWEEN 0 AND 34560000) NOT VALID`);
  }

  /** Responses that were stored under a moved clock are then kept for their hours in real time. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN ahead_seconds');
  }
}
