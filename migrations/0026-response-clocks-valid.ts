import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates all stored responses, under a lock that lets others read and write. */
export class ResponseClocksValid1763700000026 implements MigrationInterface {
  readonly name = 'ResponseClocksValid1763700000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE idempotency_keys VALIDATE CONSTRAINT idempotency_keys_ahead');
  }

  /** Nothing to revert: the previous step drops the constraint. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
  }
}
