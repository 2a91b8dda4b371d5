import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the ledger, which reads a session without its organization. Not a transaction, because the table is large and in use. */
export class LedgerSessionIndex1763700000035 implements MigrationInterface {
  readonly name = 'LedgerSessionIndex1763700000035';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(
      'CREATE INDEX CONCURRENTLY checkout_sessions_ledger_read ON checkout_sessions (mode, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS checkout_sessions_ledger_read');
  }
}
