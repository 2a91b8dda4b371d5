import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The modules decide which events there are, and how many a resource has. All rows fulfil the new constraints, which permit
 * more. The next step validates them, which takes long and must not hold the lock that this step needs.
 */
export class AnyEvent1763700000011 implements MigrationInterface {
  readonly name = 'AnyEvent1763700000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_type,
        DROP CONSTRAINT events_sequence,
        ADD CONSTRAINT events_type CHECK (type ~ '^[a-z_]+([.][a-z_]+)+$') NOT VALID,
        ADD CONSTRAINT events_sequence CHECK (sequence >= 1) NOT VALID`);
  }

  /** NOT VALID, because there may be events of other types. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_type,
        DROP CONSTRAINT events_sequence,
        ADD CONSTRAINT events_type CHECK (type IN (
          'checkout.session.created', 'checkout.session.completed', 'checkout.session.expired',
          'refund.created', 'refund.succeeded', 'refund.failed', 'refund.canceled')) NOT VALID,
        ADD CONSTRAINT events_sequence CHECK (sequence IN (1, 2)) NOT VALID`);
  }
}
