import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checkout sessions. Line items are a column and not a table, because they never change. */
export class Checkout1763700000003 implements MigrationInterface {
  readonly name = 'Checkout1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    // json and not jsonb, because nothing searches inside, and because it keeps the order of the metadata.
    await runner.query(`
      CREATE TABLE checkout_sessions (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        id uuid NOT NULL,
        ui_mode text NOT NULL,
        status text NOT NULL,
        payment_status text NOT NULL,
        currency text NOT NULL,
        amount_subtotal bigint NOT NULL,
        amount_discount bigint NOT NULL,
        amount_shipping bigint NOT NULL,
        amount_tax bigint NOT NULL,
        amount_total bigint NOT NULL,
        success_url text,
        cancel_url text,
        return_url text,
        notify_url text,
        description text,
        customer_email text,
        locale text,
        metadata json NOT NULL,
        line_items json NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT checkout_sessions_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT checkout_sessions_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT checkout_sessions_ui_mode CHECK (ui_mode IN ('hosted', 'embedded')),
        CONSTRAINT checkout_sessions_status CHECK (status IN ('open', 'complete', 'expired')),
        CONSTRAINT checkout_sessions_payment_status
          CHECK (payment_status IN ('unpaid', 'paid', 'no_payment_required')),
        CONSTRAINT checkout_sessions_paid_is_complete CHECK ((payment_status = 'paid') = (status = 'complete')),
        CONSTRAINT checkout_sessions_nothing_to_pay
          CHECK ((payment_status = 'no_payment_required') = (amount_total = 0)),
        CONSTRAINT checkout_sessions_currency CHECK (currency ~ '^[a-z]{3}$'),
        CONSTRAINT checkout_sessions_amounts CHECK (
          amount_subtotal BETWEEN 0 AND 999999999999 AND amount_discount BETWEEN 0 AND amount_subtotal
          AND amount_shipping BETWEEN 0 AND 999999999999 AND amount_tax BETWEEN 0 AND 999999999999
          AND amount_total BETWEEN amount_subtotal - amount_discount + amount_shipping
            AND least(999999999999, amount_subtotal - amount_discount + amount_shipping + amount_tax))
      )`);
    await runner.query(
      'CREATE INDEX checkout_sessions_status_list ON checkout_sessions (organization_id, mode, status, id)',
    );
    // For the sweeper, and for lists that contain expired sessions which the sweeper has not changed yet.
    await runner.query(
      `CREATE INDEX checkout_sessions_open_expiry ON checkout_sessions (expires_at) WHERE status = 'open'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE checkout_sessions');
  }
}
