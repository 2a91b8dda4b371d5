import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An organization's sessions past their time that the sweeper has not settled yet, for its list of expired ones: in the
 * order of ids they lie behind every session that is still open. Only open sessions are in it, a day of them.
 */
export class OwnExpiry1763700000009 implements MigrationInterface {
  readonly name = 'OwnExpiry1763700000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE INDEX checkout_sessions_own_expiry ON checkout_sessions (organization_id, mode, expires_at)
        WHERE status = 'open'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP INDEX checkout_sessions_own_expiry');
  }
}
