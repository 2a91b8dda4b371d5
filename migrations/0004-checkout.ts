import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checkout sessions, with their line items, which never change. */
const TABLES = `
  CREATE TYPE ui_mode AS ENUM ('hosted', 'embedded');
  CREATE TYPE session_status AS ENUM ('open', 'complete', 'expired');
  CREATE TYPE payment_status AS ENUM ('unpaid', 'paid', 'no_payment_required');

  CREATE TABLE checkout_sessions (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    ui_mode ui_mode NOT NULL,
    -- An open session that is overdue is shown as expired until a sweep stores it.
    status session_status NOT NULL,
    payment_status payment_status NOT NULL,
    currency currency NOT NULL,
    amount_subtotal amount NOT NULL,
    amount_discount amount NOT NULL,
    amount_shipping amount NOT NULL,
    amount_tax amount NOT NULL,
    amount_total amount NOT NULL,
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
    -- While money is on its way, this is when the session would have expired.
    original_expires_at timestamptz,
    awaits counter NOT NULL DEFAULT 0,
    -- It is null in a session that expired by itself: that closed when it expired.
    closed_at timestamptz,
    is_redacted boolean NOT NULL DEFAULT false,
    -- It is null where references need not be unique.
    unique_reference text,

    CONSTRAINT checkout_sessions_pkey PRIMARY KEY (organization_id, mode, id),
    -- The prices contain some of the tax, all of it, or none. A range says what BETWEEN says, and
    -- names the sum once: PostgreSQL parses the text of each CHECK in every statement.
    CONSTRAINT checkout_sessions_amounts CHECK (
      int8range(0, amount_tax, '[]')
      @> (amount_total - (amount_subtotal - amount_discount + amount_shipping))),
    CONSTRAINT checkout_sessions_nothing_to_pay CHECK (
      (payment_status = 'no_payment_required') = (amount_total = 0)),
    CONSTRAINT checkout_sessions_paid_is_complete CHECK (
      (status = 'complete') = (payment_status <> 'unpaid')
      OR payment_status = 'no_payment_required'),
    CONSTRAINT checkout_sessions_awaits CHECK (original_expires_at IS NULL OR awaits > 0),
    CONSTRAINT checkout_sessions_closed CHECK (closed_at IS NULL OR status <> 'open'),
    CONSTRAINT checkout_sessions_redacted CHECK (NOT is_redacted OR status <> 'open' AND coalesce(
      success_url, cancel_url, return_url, notify_url, description, customer_email) IS NULL)
  );

  -- checkout.list_open, checkout.list_complete and checkout.list_expired read it.
  CREATE INDEX checkout_sessions_status_list
    ON checkout_sessions (organization_id, mode, status, id);

  -- CheckoutSessions.overdue and jobs.pending_work read it, for all organizations.
  CREATE INDEX checkout_sessions_open_expiry ON checkout_sessions (expires_at)
    WHERE status = 'open';

  -- checkout.list_expired reads it for open sessions that are overdue, and
  -- CheckoutSessions.overdue for those of a clock that was moved.
  CREATE INDEX checkout_sessions_own_expiry ON checkout_sessions (organization_id, mode, expires_at)
    WHERE status = 'open';

  -- checkout.list_reference reads it. checkout.with_reference and checkout.expire_with_reference
  -- read it too, and pass over all sessions that are expired.
  CREATE INDEX checkout_sessions_reference
    ON checkout_sessions (organization_id, mode, (metadata->>'reference'), status, id)
    WHERE metadata->>'reference' IS NOT NULL;

  -- A violation means that another session with the reference was created at the same moment.
  CREATE UNIQUE INDEX checkout_sessions_unique_reference
    ON checkout_sessions (organization_id, mode, unique_reference)
    WHERE unique_reference IS NOT NULL AND status <> 'expired';

  -- checkout_sessions.owner reads it, because a ledger does not know whose session it is.
  CREATE INDEX checkout_sessions_ledger_read ON checkout_sessions (mode, id);

  -- SessionDetails.closed reads it, to find what details_retention_days ends.
  CREATE INDEX checkout_sessions_with_details
    ON checkout_sessions (organization_id, mode, (coalesce(closed_at, expires_at)), id)
    WHERE status <> 'open' AND NOT is_redacted;
`;

export class Checkout1790000000004 implements MigrationInterface {
  readonly name = 'Checkout1790000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE checkout_sessions;
      DROP TYPE payment_status, session_status, ui_mode;
    `);
  }
}
