import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes on session and reference contain only payments that have one. They are smaller, and a query by ID cannot use
 * them: before the first statistics, PostgreSQL chose one of them instead of the primary key, and read all payments of the
 * organization for each refund.
 */
export class PaymentKeys1763700000008 implements MigrationInterface {
  readonly name = 'PaymentKeys1763700000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_checkout_session_key,
        DROP CONSTRAINT payments_reference_key`);
    await runner.query(`
      CREATE UNIQUE INDEX payments_checkout_session_key ON payments (organization_id, mode, checkout_session_id)
        WHERE checkout_session_id IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX payments_reference_key ON payments (organization_id, mode, reference)
        WHERE reference IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP INDEX payments_checkout_session_key');
    await runner.query('DROP INDEX payments_reference_key');
    await runner.query(`
      ALTER TABLE payments
        ADD CONSTRAINT payments_checkout_session_key UNIQUE (organization_id, mode, checkout_session_id),
        ADD CONSTRAINT payments_reference_key UNIQUE (organization_id, mode, reference)`);
  }
}
