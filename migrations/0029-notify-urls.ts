import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The URL to which webhooks about a payment are sent. The default marks the rows that do not store it: those of before, and
 * those that the previous version writes during an upgrade. Their URL is that of their session.
 */
export class NotifyUrls1763700000029 implements MigrationInterface {
  readonly name = 'NotifyUrls1763700000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`ALTER TABLE payments ADD COLUMN notify_url text DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE payments DROP COLUMN notify_url');
  }
}
