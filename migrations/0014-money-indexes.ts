import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  // A session has one matching payment, and any number of others.
  payments_checkout_session_key_next: `UNIQUE INDEX payments_checkout_session_key_next
    ON payments (organization_id, mode, checkout_session_id)
    WHERE checkout_session_id IS NOT NULL AND mismatch IS NULL`,
  payments_checkout_session_list: `INDEX payments_checkout_session_list
    ON payments (organization_id, mode, checkout_session_id, id) WHERE checkout_session_id IS NOT NULL`,
  // For the ledger, which lists the payments of all organizations.
  payments_ledger_list: 'INDEX payments_ledger_list ON payments (mode, id)',
  payments_ledger_reference: `INDEX payments_ledger_reference ON payments (mode, reference, id)
    WHERE reference IS NOT NULL`,
  payments_ledger_session: `INDEX payments_ledger_session ON payments (mode, checkout_session_id, id)
    WHERE checkout_session_id IS NOT NULL`,
  // Refunds without a lease are at the end of the index, in the order of their IDs. Before them are leases, by their end.
  refunds_claim_list: `INDEX refunds_claim_list ON refunds (mode, claim_expires_at, id) WHERE status = 'pending'`,
};

const RULES = {
  payments: [
    'payments_on_hold_not_negative',
    'payments_mismatch',
    'payments_mismatch_with_session',
    'payments_held_within_captured_next',
  ],
  refunds: ['refunds_claim'],
  checkout_sessions: ['checkout_sessions_paid_is_complete_next'],
};

/**
 * Not a transaction, because it reads large tables while others write to them. After an interruption it can be run again: an
 * unfinished index is built again.
 */
export class MoneyIndexes1763700000014 implements MigrationInterface {
  readonly name = 'MoneyIndexes1763700000014';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    for (const [name, definition] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE ${definition.replace('INDEX', 'INDEX CONCURRENTLY')}`);
    }
    for (const [table, names] of Object.entries(RULES)) {
      for (const name of names)
        await runner.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`);
    }
  }

  /** A payment that does not match its session loses it, because a session could only have one payment. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query(
      'UPDATE payments SET checkout_session_id = NULL, mismatch = NULL WHERE mismatch IS NOT NULL',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS payments_checkout_session_key');
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY payments_checkout_session_key
        ON payments (organization_id, mode, checkout_session_id) WHERE checkout_session_id IS NOT NULL`);
    for (const name of Object.keys(INDEXES))
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
