import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  payments_with_details: `payments (organization_id, mode, details_since) WHERE details_since IS NOT NULL`,
  payments_forgetting: `payments (organization_id, mode, id) WHERE is_forgetting`,
};

const ORGANIZATIONS =
  'SELECT DISTINCT organization_id AS organization FROM checkout_sessions WHERE is_redacted';
/** What was said about their refunds since is forgotten some days from now, as if it were said now. */
const FILL = `UPDATE payments SET is_redacted = true, notify_url = NULL, details_since = now()
  WHERE organization_id = $1 AND NOT is_redacted AND (mode, checkout_session_id) IN (
    SELECT mode, id FROM checkout_sessions WHERE organization_id = $1 AND is_redacted)`;

/** Not a transaction, because it reads large tables while others write to them. After an interruption it can be run again. */
export class RedactedPaymentIndexes1763700000057 implements MigrationInterface {
  readonly name = 'RedactedPaymentIndexes1763700000057';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    for (const { organization } of await runner.query(ORGANIZATIONS))
      await runner.query(FILL, [organization]);
    for (const [name, definition] of Object.entries(INDEXES))
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    await runner.query('ALTER TABLE payments VALIDATE CONSTRAINT payments_redacted');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    for (const name of Object.keys(INDEXES))
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
