import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Captured payments, with the sums of their refunds and holds, and the holds. */
const TABLES = `
  -- This says why a payment did not complete its session.
  CREATE TYPE mismatch AS ENUM ('session_expired', 'session_complete', 'amount', 'currency');

  CREATE TYPE hold_status AS ENUM ('active', 'released');

  -- A refund changes its payment twice. Room on each page keeps new versions out of the indexes.
  CREATE TABLE payments (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    currency currency NOT NULL,
    amount positive_amount NOT NULL,
    -- These sums say what is left, so that no refund reads the others.
    amount_refunded amount_sum NOT NULL DEFAULT 0,
    amount_pending_refund amount_sum NOT NULL DEFAULT 0,
    checkout_session_id uuid,
    reference label COLLATE "C",
    amount_on_hold amount_sum NOT NULL DEFAULT 0,
    mismatch mismatch,
    -- It counts the changes, so that events of a payment have an order.
    version integer NOT NULL DEFAULT 0,
    -- That of its session.
    notify_url checked_url,
    -- Whether its session is redacted. A payment tells it to its refunds and holds.
    is_redacted boolean NOT NULL DEFAULT false,
    -- Whether a redaction has begun that is not finished.
    is_forgetting boolean NOT NULL DEFAULT false,
    -- Since when something was said about it again after the redaction.
    details_since timestamptz,

    CONSTRAINT payments_pkey PRIMARY KEY (organization_id, mode, id),
    CONSTRAINT payments_checkout_session_fkey
      FOREIGN KEY (organization_id, mode, checkout_session_id)
      REFERENCES checkout_sessions (organization_id, mode, id),
    -- A violation means that others took the amount since the payment was read: the use case
    -- decides again.
    CONSTRAINT payments_held_within_captured CHECK (
      amount_refunded + amount_pending_refund + amount_on_hold <= amount),
    CONSTRAINT payments_mismatch_with_session CHECK (
      mismatch IS NULL OR checkout_session_id IS NOT NULL),
    CONSTRAINT payments_redacted CHECK (
      CASE WHEN is_redacted THEN notify_url IS NULL
        ELSE NOT is_forgetting AND details_since IS NULL END)
  ) WITH (fillfactor = 80);

  -- A violation means that the payment is recorded already.
  CREATE UNIQUE INDEX payments_reference_key ON payments (organization_id, mode, reference)
    WHERE reference IS NOT NULL;

  -- A violation means that another payment has completed the session.
  CREATE UNIQUE INDEX payments_checkout_session_key
    ON payments (organization_id, mode, checkout_session_id)
    WHERE checkout_session_id IS NOT NULL AND mismatch IS NULL;

  -- Payments.list reads it for the payments of a session, with those that have a mismatch, and the
  -- foreign key.
  CREATE INDEX payments_checkout_session_list
    ON payments (organization_id, mode, checkout_session_id, id)
    WHERE checkout_session_id IS NOT NULL;

  -- Payments.listOfAll reads it for the payments of all organizations, and payments.owner, because
  -- a ledger does not know whose payment it is.
  CREATE INDEX payments_ledger_list ON payments (mode, id);

  -- Payments.listOfAll reads it for the payments with a reference.
  CREATE INDEX payments_ledger_reference ON payments (mode, reference, id)
    WHERE reference IS NOT NULL;

  -- payments.owners_of_details and payments.begin_to_forget read it, to forget what was said after
  -- a redaction.
  CREATE INDEX payments_with_details ON payments (organization_id, mode, details_since)
    WHERE details_since IS NOT NULL;

  -- payments.unfinished reads it, to finish redactions.
  CREATE INDEX payments_forgetting ON payments (organization_id, mode, id) WHERE is_forgetting;

  CREATE TABLE payment_holds (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    payment_id uuid NOT NULL,
    amount positive_amount NOT NULL,
    reason note,
    reference label COLLATE "C",
    status hold_status NOT NULL,

    CONSTRAINT payment_holds_pkey PRIMARY KEY (organization_id, mode, id),
    CONSTRAINT payment_holds_payment_fkey FOREIGN KEY (organization_id, mode, payment_id)
      REFERENCES payments (organization_id, mode, id)
  );

  -- Holds.listOfAll reads it for the holds of a payment, and so do the foreign key and
  -- personal_data.belonging payment.hold 1.
  CREATE INDEX payment_holds_payment_list ON payment_holds (organization_id, mode, payment_id, id);

  -- Holds.listOfAll reads it for the holds of all organizations, and payment_holds.owner.
  CREATE INDEX payment_holds_id ON payment_holds (mode, id);
`;

export class Payments1790000000005 implements MigrationInterface {
  readonly name = 'Payments1790000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE payment_holds;
      DROP TABLE payments;
      DROP TYPE hold_status, mismatch;
    `);
  }
}
