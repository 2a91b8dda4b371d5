import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Captured payments, and how much of each is held by refunds. The last constraint prevents refunding more than was captured. */
export class Payments1763700000004 implements MigrationInterface {
  readonly name = 'Payments1763700000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    // Every refund updates the row of its payment. Free space on the page lets PostgreSQL do that without the indexes.
    await runner.query(`
      CREATE TABLE payments (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        id uuid NOT NULL,
        currency text NOT NULL,
        amount bigint NOT NULL,
        amount_refunded bigint NOT NULL DEFAULT 0,
        amount_pending_refund bigint NOT NULL DEFAULT 0,
        checkout_session_id uuid,
        reference text COLLATE "C",
        CONSTRAINT payments_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT payments_checkout_session_fkey FOREIGN KEY (organization_id, mode, checkout_session_id)
          REFERENCES checkout_sessions (organization_id, mode, id),
        CONSTRAINT payments_checkout_session_key UNIQUE (organization_id, mode, checkout_session_id),
        CONSTRAINT payments_reference_key UNIQUE (organization_id, mode, reference),
        CONSTRAINT payments_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT payments_currency CHECK (currency ~ '^[a-z]{3}$'),
        CONSTRAINT payments_amount CHECK (amount BETWEEN 1 AND 999999999999),
        CONSTRAINT payments_reference_length CHECK (char_length(reference) BETWEEN 1 AND 255),
        CONSTRAINT payments_refunded_not_negative CHECK (amount_refunded >= 0),
        CONSTRAINT payments_pending_not_negative CHECK (amount_pending_refund >= 0),
        CONSTRAINT payments_held_within_captured CHECK (amount_refunded + amount_pending_refund <= amount)
      ) WITH (fillfactor = 80)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE payments');
  }
}
