import type { MigrationInterface, QueryRunner } from 'typeorm';

const RULES = ['checkout_sessions_awaits', 'checkout_sessions_amounts'];

/** Not a transaction, because it reads a large table while others write to it. After an interruption it can be run again. */
export class SessionReferences1763700000041 implements MigrationInterface {
  readonly name = 'SessionReferences1763700000041';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`
      CREATE INDEX CONCURRENTLY checkout_sessions_reference
        ON checkout_sessions (organization_id, mode, (metadata->>'reference'), id)
        WHERE metadata->>'reference' IS NOT NULL`);
    for (const rule of RULES)
      await runner.query(`ALTER TABLE checkout_sessions VALIDATE CONSTRAINT ${rule}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS checkout_sessions_reference');
  }
}
