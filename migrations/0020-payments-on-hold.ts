import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the few payments with an amount on hold. Not a transaction, so that payments can be recorded meanwhile. */
export class PaymentsOnHold1763700000020 implements MigrationInterface {
  readonly name = 'PaymentsOnHold1763700000020';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS payments_on_hold');
    await runner.query(`
      CREATE INDEX CONCURRENTLY payments_on_hold ON payments (organization_id, mode, currency, amount_on_hold)
        WHERE amount_on_hold > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS payments_on_hold');
  }
}
