import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rules that each take the place and the name of an earlier one, with what that said. */
const RULES = [
  ['payments', 'payments_held_within_captured', 'amount_refunded + amount_pending_refund <= amount'],
  ['checkout_sessions', 'checkout_sessions_paid_is_complete', `(payment_status = 'paid') = (status = 'complete')`],
] as const;

/** Names only: every lock is held for an instant. */
export class MoneyRules1763700000015 implements MigrationInterface {
  readonly name = 'MoneyRules1763700000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const [table, name] of RULES) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
      await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${name}_next TO ${name}`);
    }
    await runner.query('DROP INDEX payments_checkout_session_key');
    await runner.query('ALTER INDEX payments_checkout_session_key_next RENAME TO payments_checkout_session_key');
  }

  /** The earlier rules are for new rows: what happened meanwhile has happened. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const [table, name, said] of RULES) {
      await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${name} TO ${name}_next`);
      await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${said}) NOT VALID`);
    }
    await runner.query('ALTER INDEX payments_checkout_session_key RENAME TO payments_checkout_session_key_next');
  }
}
