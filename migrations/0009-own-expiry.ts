import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds an organization's expired sessions that the sweeper has not changed yet, for its list of expired sessions. By ID, they
 * would be found only after all open sessions. The index contains only open sessions, which are those of one day.
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
