import type { MigrationInterface, QueryRunner } from 'typeorm';

const ORGANIZATIONS = `SELECT DISTINCT organization_id AS organization FROM payments WHERE notify_url = ''`;
/** The next thousand, so that no request waits for the lock of a row longer than a tenth of a second. Returns the last of them. */
const FILL = `WITH next AS (
    SELECT mode, id FROM payments WHERE organization_id = $1 AND (mode, id) > ($2, $3) ORDER BY mode, id LIMIT 1000
  ), filled AS (
    UPDATE payments SET notify_url = (SELECT session.notify_url FROM checkout_sessions AS session
      WHERE session.organization_id = $1 AND session.mode = payments.mode AND session.id = payments.checkout_session_id)
    WHERE organization_id = $1 AND notify_url = '' AND (mode, id) IN (SELECT mode, id FROM next))
  SELECT mode, id FROM next ORDER BY mode DESC, id DESC LIMIT 1`;
const FIRST = { mode: '', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Version 1.0 did not store the notify URL of a payment, which is that of its session: each is stored here. Not a transaction,
 * because the table is large and in use. After an interruption it can be run again.
 */
export class NotifyUrlsFilled1763700000037 implements MigrationInterface {
  readonly name = 'NotifyUrlsFilled1763700000037';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('ALTER TABLE payments DROP CONSTRAINT IF EXISTS payments_notify_url');
    await runner.query('ALTER TABLE payments ALTER COLUMN notify_url DROP DEFAULT');
    for (const { organization } of await runner.query(ORGANIZATIONS)) {
      for (let last = FIRST; last; )
        [last] = await runner.query(FILL, [organization, last.mode, last.id]);
    }
    await runner.query(
      `ALTER TABLE payments ADD CONSTRAINT payments_notify_url CHECK (notify_url <> '') NOT VALID`,
    );
    await runner.query('ALTER TABLE payments VALIDATE CONSTRAINT payments_notify_url');
  }

  /** The URLs stay: they are right for the version before, too. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('ALTER TABLE payments DROP CONSTRAINT payments_notify_url');
    await runner.query(`ALTER TABLE payments ALTER COLUMN notify_url SET DEFAULT ''`);
  }
}
