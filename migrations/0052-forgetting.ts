import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is needed to forget a session: whether it is redacted, when it was closed, and what a stored response is about. A session
 * that was closed before, or by the previous version, has no `closed_at`: its `expires_at` counts. `closed_at` is null too when
 * a session expired by itself.
 */
export class Forgetting1763700000052 implements MigrationInterface {
  readonly name = 'Forgetting1763700000052';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE checkout_sessions
        ADD COLUMN closed_at timestamptz,
        ADD COLUMN is_redacted boolean NOT NULL DEFAULT false`);
    await runner.query(`
      ALTER TABLE checkout_sessions
        ADD CONSTRAINT checkout_sessions_closed CHECK (closed_at IS NULL OR status <> 'open') NOT VALID`);
    // By itself, because Citus adds one constraint at a time.
    await runner.query(`
      ALTER TABLE checkout_sessions
        ADD CONSTRAINT checkout_sessions_redacted CHECK (NOT is_redacted OR (status <> 'open'
          AND num_nonnulls(success_url, cancel_url, return_url, notify_url, description, customer_email) = 0)) NOT VALID`);
    await runner.query('ALTER TABLE idempotency_keys ADD COLUMN resource_id uuid');
  }

  /** Redacted sessions keep what they have: nothing of a customer. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN resource_id');
    await runner.query(
      'ALTER TABLE checkout_sessions DROP COLUMN is_redacted, DROP COLUMN closed_at',
    );
  }
}
