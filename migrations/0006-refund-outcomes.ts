import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The reason of a failed refund, and the indexes for lists by status: a merchant's, and the ledger's of all organizations. */
export class RefundOutcomes1763700000006 implements MigrationInterface {
  readonly name = 'RefundOutcomes1763700000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE refunds
        ADD COLUMN failure_reason text,
        ADD CONSTRAINT refunds_failure_reason CHECK (status = 'failed' OR failure_reason IS NULL),
        ADD CONSTRAINT refunds_failure_reason_length CHECK (char_length(failure_reason) <= 500)`);
    await runner.query(
      'CREATE INDEX refunds_status_list ON refunds (organization_id, mode, status, id)',
    );
    // This index does not begin with the organization, because the ledger lists the refunds of all.
    await runner.query('CREATE INDEX refunds_ledger_list ON refunds (mode, status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP INDEX refunds_ledger_list');
    await runner.query('DROP INDEX refunds_status_list');
    await runner.query('ALTER TABLE refunds DROP COLUMN failure_reason');
  }
}
