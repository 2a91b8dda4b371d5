import type { MigrationInterface, QueryRunner } from 'typeorm';

const HAS_CITUS = `SELECT FROM pg_extension WHERE extname = 'citus'`;

/**
 * The order of events for readers that follow them. A position is drawn when the event is inserted, whichever version inserts
 * it. The events of before have the position 0, and are in the order of their IDs. So are all on Citus, whose machines have no
 * sequence in common.
 */
export class EventPositions1763700000032 implements MigrationInterface {
  readonly name = 'EventPositions1763700000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE events ADD COLUMN position bigint NOT NULL DEFAULT 0');
    if ((await runner.query(HAS_CITUS)).length > 0) return;
    await runner.query('CREATE SEQUENCE events_position_seq OWNED BY events.position');
    await runner.query(
      `ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_position_seq')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE events DROP COLUMN position');
  }
}
