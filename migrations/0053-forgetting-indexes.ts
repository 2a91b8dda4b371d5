import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  // The closed sessions that still have their details, by the time of their end.
  checkout_sessions_with_details: `checkout_sessions (organization_id, mode, (coalesce(closed_at, expires_at)), id)
    WHERE status <> 'open' AND NOT is_redacted`,
  idempotency_keys_resource: `idempotency_keys (organization_id, mode, resource_id) WHERE resource_id IS NOT NULL`,
};
const RULES = ['checkout_sessions_closed', 'checkout_sessions_redacted'];

/** Not a transaction, because it reads large tables while others write to them. After an interruption it can be run again. */
export class ForgettingIndexes1763700000053 implements MigrationInterface {
  readonly name = 'ForgettingIndexes1763700000053';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    for (const [name, definition] of Object.entries(INDEXES))
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    for (const rule of RULES)
      await runner.query(`ALTER TABLE checkout_sessions VALIDATE CONSTRAINT ${rule}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    for (const name of Object.keys(INDEXES))
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
