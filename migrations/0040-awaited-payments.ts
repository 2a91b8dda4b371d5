import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `
  amount_subtotal BETWEEN 0 AND 999999999999 AND amount_discount BETWEEN 0 AND amount_subtotal
  AND amount_shipping BETWEEN 0 AND 999999999999 AND amount_tax BETWEEN 0 AND 999999999999
  AND amount_total BETWEEN amount_subtotal - amount_discount + amount_shipping
    AND least(999999999999, amount_subtotal - amount_discount + amount_shipping + amount_tax)`;
/** A discount on the order may also take away shipping and tax. */
const AMOUNTS = `
  amount_subtotal BETWEEN 0 AND 999999999999 AND amount_discount BETWEEN 0 AND 999999999999
  AND amount_shipping BETWEEN 0 AND 999999999999 AND amount_tax BETWEEN 0 AND 999999999999
  AND amount_total BETWEEN greatest(0, amount_subtotal - amount_discount + amount_shipping)
    AND least(999999999999, amount_subtotal - amount_discount + amount_shipping + amount_tax)`;

/**
 * Sessions whose money is on its way, and orders with a discount of their own. The defaults are right for the rows that the
 * previous version writes. The next migration validates the rules.
 */
export class AwaitedPayments1763700000040 implements MigrationInterface {
  readonly name = 'AwaitedPayments1763700000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE checkout_sessions
        ADD COLUMN original_expires_at timestamptz,
        ADD COLUMN awaits integer NOT NULL DEFAULT 0`);
    await runner.query(`
      ALTER TABLE checkout_sessions ADD CONSTRAINT checkout_sessions_awaits
        CHECK (awaits >= 0 AND (original_expires_at IS NULL OR awaits > 0)) NOT VALID`);
    await runner.query('ALTER TABLE checkout_sessions DROP CONSTRAINT checkout_sessions_amounts');
    await runner.query(
      `ALTER TABLE checkout_sessions ADD CONSTRAINT checkout_sessions_amounts CHECK (${AMOUNTS}) NOT VALID`,
    );
  }

  /** NOT VALID, because an order may have had a discount above its subtotal. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE checkout_sessions DROP CONSTRAINT checkout_sessions_amounts');
    await runner.query(
      `ALTER TABLE checkout_sessions ADD CONSTRAINT checkout_sessions_amounts CHECK (${BEFORE}) NOT VALID`,
    );
    await runner.query(
      'ALTER TABLE checkout_sessions DROP COLUMN awaits, DROP COLUMN original_expires_at',
    );
  }
}
