import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The payments that the pretend payer of test mode has still to make. */
export class LatePayments1763700000022 implements MigrationInterface {
  readonly name = 'LatePayments1763700000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE late_payments (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        session_id uuid NOT NULL,
        due_at timestamptz NOT NULL,
        CONSTRAINT late_payments_pkey PRIMARY KEY (organization_id, mode, session_id),
        CONSTRAINT late_payments_session_fkey FOREIGN KEY (organization_id, mode, session_id)
          REFERENCES checkout_sessions (organization_id, mode, id),
        CONSTRAINT late_payments_mode CHECK (mode = 'test')
      )`);
    await runner.query('CREATE INDEX late_payments_due ON late_payments (due_at)');
  }

  /** None of the dropped payments has been made. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE late_payments');
  }
}
