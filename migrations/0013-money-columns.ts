import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Holds, payments that do not match their session, claims of refunds, and the reason why a refund failed. In three steps, so
 * that no table is locked while all of it is read: this one adds columns and constraints for new rows, the next one builds
 * indexes and validates old rows, and the third one gives the new constraints the names of the old ones.
 */
export class MoneyColumns1763700000013 implements MigrationInterface {
  readonly name = 'MoneyColumns1763700000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE payments
        ADD COLUMN amount_on_hold bigint NOT NULL DEFAULT 0,
        ADD COLUMN mismatch text,
        ADD COLUMN version integer NOT NULL DEFAULT 0`);
    await runner.query(`
      ALTER TABLE payments
        ADD CONSTRAINT payments_on_hold_not_negative CHECK (amount_on_hold >= 0) NOT VALID,
        ADD CONSTRAINT payments_mismatch
          CHECK (mismatch IN ('session_expired', 'session_complete', 'amount', 'currency')) NOT VALID,
        ADD CONSTRAINT payments_mismatch_with_session
          CHECK (mismatch IS NULL OR checkout_session_id IS NOT NULL) NOT VALID,
        ADD CONSTRAINT payments_held_within_captured_next
          CHECK (amount_refunded + amount_pending_refund + amount_on_hold <= amount) NOT VALID`);
    await runner.query(`
      ALTER TABLE refunds
        ADD COLUMN claim_number integer NOT NULL DEFAULT 0,
        ADD COLUMN claim_expires_at timestamptz`);
    await runner.query(`
      ALTER TABLE refunds
        ADD CONSTRAINT refunds_claim
          CHECK (claim_expires_at IS NULL OR (status = 'pending' AND claim_number > 0)) NOT VALID`);
    await runner.query('ALTER TABLE events ADD COLUMN reason text');
    // A session with a total of 0 completes without a payment.
    await runner.query(`
      ALTER TABLE checkout_sessions
        ADD CONSTRAINT checkout_sessions_paid_is_complete_next CHECK (
          (payment_status <> 'paid' OR status = 'complete') AND (payment_status <> 'unpaid' OR status <> 'complete'))
        NOT VALID`);
    await runner.query(`
      CREATE TABLE payment_holds (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        id uuid NOT NULL,
        payment_id uuid NOT NULL,
        amount bigint NOT NULL,
        reason text,
        reference text COLLATE "C",
        status text NOT NULL,
        CONSTRAINT payment_holds_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT payment_holds_payment_fkey FOREIGN KEY (organization_id, mode, payment_id)
          REFERENCES payments (organization_id, mode, id),
        CONSTRAINT payment_holds_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT payment_holds_amount CHECK (amount BETWEEN 1 AND 999999999999),
        CONSTRAINT payment_holds_reason_length CHECK (char_length(reason) <= 500),
        CONSTRAINT payment_holds_reference_length CHECK (char_length(reference) BETWEEN 1 AND 255),
        CONSTRAINT payment_holds_status CHECK (status IN ('active', 'released'))
      )`);
    await runner.query(
      'CREATE INDEX payment_holds_payment_list ON payment_holds (organization_id, mode, payment_id, id)',
    );
    // The ledger may read a hold without its organization.
    await runner.query('CREATE INDEX payment_holds_id ON payment_holds (mode, id)');
  }

  /** Drops all holds, which releases their amounts. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE payment_holds');
    await runner.query(
      'ALTER TABLE checkout_sessions DROP CONSTRAINT checkout_sessions_paid_is_complete_next',
    );
    await runner.query('ALTER TABLE events DROP COLUMN reason');
    await runner.query(
      'ALTER TABLE refunds DROP COLUMN claim_expires_at, DROP COLUMN claim_number',
    );
    await runner.query(`
      ALTER TABLE payments
        DROP CONSTRAINT payments_held_within_captured_next,
        DROP COLUMN version,
        DROP COLUMN mismatch,
        DROP COLUMN amount_on_hold`);
  }
}
