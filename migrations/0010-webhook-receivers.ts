import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Due deliveries are searched for by organization and receiver, so that the backlog of one does not hide those of others. */
export class WebhookReceivers1763700000010 implements MigrationInterface {
  readonly name = 'WebhookReceivers1763700000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_receiver ON webhook_deliveries (organization_id, receiver, next_attempt_at)
        WHERE next_attempt_at IS NOT NULL`);
    await runner.query('DROP INDEX webhook_deliveries_due');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(
      'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL',
    );
    await runner.query('DROP INDEX webhook_deliveries_receiver');
  }
}
