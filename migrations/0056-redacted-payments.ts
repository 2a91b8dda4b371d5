import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the session of a payment is redacted, since when something was said about it again, and whether some of that is being
 * forgotten. A payment tells its refunds and holds, so that they need not read the session.
 */
export class RedactedPayments1763700000056 implements MigrationInterface {
  readonly name = 'RedactedPayments1763700000056';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE payments
        ADD COLUMN is_redacted boolean NOT NULL DEFAULT false,
        ADD COLUMN is_forgetting boolean NOT NULL DEFAULT false,
        ADD COLUMN details_since timestamptz`);
    // By itself, because Citus adds one constraint at a time.
    await runner.query(`
      ALTER TABLE payments ADD CONSTRAINT payments_redacted CHECK (is_redacted
        AND notify_url IS NULL OR NOT is_redacted AND NOT is_forgetting AND details_since IS NULL) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(
      'ALTER TABLE payments DROP COLUMN details_since, DROP COLUMN is_forgetting, DROP COLUMN is_redacted',
    );
  }
}
