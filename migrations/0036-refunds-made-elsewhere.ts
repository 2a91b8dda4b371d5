import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Refunds that were made elsewhere, each with its payout at the provider. provider_reference was never unique: older rows, and
 * workers that pay several refunds at once, have the same one in several refunds. So it is unique among refunds that were made
 * elsewhere, of which there are none yet; the lock of the payment keeps the payout of another refund from being recorded again.
 * Not a transaction, because the table is large and in use. After an interruption it can be run again.
 */
export class RefundsMadeElsewhere1763700000036 implements MigrationInterface {
  readonly name = 'RefundsMadeElsewhere1763700000036';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    // The default is right for the rows that the previous version writes.
    await runner.query(
      'ALTER TABLE refunds ADD COLUMN made_elsewhere boolean NOT NULL DEFAULT false',
    );
    await runner.query(`
      ALTER TABLE refunds ADD CONSTRAINT refunds_made_elsewhere CHECK (NOT made_elsewhere
        OR (provider_reference IS NOT NULL AND status IN ('succeeded', 'failed') AND claim_number = 0)) NOT VALID`);
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY refunds_made_elsewhere_key ON refunds (organization_id, mode, provider_reference)
        WHERE made_elsewhere`);
    await runner.query(`
      CREATE INDEX CONCURRENTLY refunds_provider_reference ON refunds (organization_id, mode, provider_reference)
        WHERE provider_reference IS NOT NULL`);
    await runner.query('ALTER TABLE refunds VALIDATE CONSTRAINT refunds_made_elsewhere');
  }

  /** The refunds stay, as refunds that were proposed and paid out. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS refunds_provider_reference');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS refunds_made_elsewhere_key');
    await runner.query('ALTER TABLE refunds DROP COLUMN IF EXISTS made_elsewhere');
  }
}
