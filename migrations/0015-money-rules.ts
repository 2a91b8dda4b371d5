import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The constraints that replace earlier ones under the same name, and the definitions of the earlier ones. */
const RULES = [
  [
    'payments',
    'payments_held_within_captured',
    'amount_refunded + amount_pending_refund <= amount',
  ],
  [
    'checkout_sessions',
    'checkout_sessions_paid_is_complete',
    `(payment_status = 'paid') = (status = 'complete')`,
  ],
] as const;

/** Only renames constraints, so that each lock is held briefly. */
export class MoneyRules1763700000015 implements MigrationInterface {
  readonly name = 'MoneyRules1763700000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const [table, name] of RULES) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
      await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${name}_next TO ${name}`);
    }
    await runner.query('DROP INDEX payments_checkout_session_key');
    await runner.query(
      'ALTER INDEX payments_checkout_session_key_next RENAME TO payments_checkout_session_key',
    );
  }

  /** The earlier constraints apply to new rows only, because existing rows may violate them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const [table, name, said] of RULES) {
      await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${name} TO ${name}_next`);
      await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${said}) NOT VALID`);
    }
    await runner.query(
      'ALTER INDEX payments_checkout_session_key RENAME TO payments_checkout_session_key_next',
    );
  }
}
