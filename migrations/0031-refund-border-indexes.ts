import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  refunds_reference_key: `UNIQUE INDEX refunds_reference_key ON refunds (organization_id, mode, reference)
    WHERE reference IS NOT NULL`,
  // Claims go from organization to organization, and take the refunds of each in the order in which they became claimable.
  refunds_claim_turns: `INDEX refunds_claim_turns ON refunds (mode, organization_id, claimable_at, id)
    WHERE status = 'pending'`,
  // For the ledger, which lists the refunds and holds of all organizations.
  refunds_ledger_all: 'INDEX refunds_ledger_all ON refunds (mode, id)',
  refunds_ledger_payment: 'INDEX refunds_ledger_payment ON refunds (mode, payment_id, id)',
  payment_holds_ledger_payment:
    'INDEX payment_holds_ledger_payment ON payment_holds (mode, payment_id, id)',
};
const RULES = [
  'refunds_reference_length',
  'refunds_description_length',
  'refunds_provider_reference_length',
  'refunds_lapses',
];
const BEFORE = `CREATE INDEX CONCURRENTLY refunds_claim_list ON refunds (mode, claim_expires_at, id)
  WHERE status = 'pending'`;

/** Not a transaction, because it reads large tables while others write to them. After an interruption it can be run again. */
export class RefundBorderIndexes1763700000031 implements MigrationInterface {
  readonly name = 'RefundBorderIndexes1763700000031';
  readonly transaction = false;

  /** Without refunds_claim_list, the previous version sorts the pending refunds of a claim until its processes have ended. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    for (const [name, definition] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE ${definition.replace('INDEX', 'INDEX CONCURRENTLY')}`);
    }
    for (const rule of RULES) await runner.query(`ALTER TABLE refunds VALIDATE CONSTRAINT ${rule}`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS refunds_claim_list');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS refunds_claim_list');
    await runner.query(BEFORE);
    for (const name of Object.keys(INDEXES))
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
