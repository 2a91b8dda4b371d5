import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Only payments that have a session, or a reference, are in the indexes of those. Smaller, and a plan for a payment's id
 * cannot use them: before its first statistics PostgreSQL took one of them to be as good as the primary key, and read
 * all payments of an organization for each refund.
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
