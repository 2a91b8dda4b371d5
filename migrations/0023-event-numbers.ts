import type { MigrationInterface, QueryRunner } from 'typeorm';

const KEY = 'organization_id, mode, object_id';

/**
 * Room for more than 32,767 events of one object: the number of an event is `sequence_base + sequence`. A wider type of
 * `sequence` would rewrite all events while every write waits, and break statements that running processes have prepared.
 * Not a transaction, because it reads a large table while others write to it. After an interruption it can be run again.
 */
export class EventNumbers1763700000023 implements MigrationInterface {
  readonly name = 'EventNumbers1763700000023';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query(
      'ALTER TABLE events ADD COLUMN IF NOT EXISTS sequence_base integer NOT NULL DEFAULT 0',
    );
    await replaceKey(runner, `${KEY}, sequence_base, sequence`);
  }

  /** Fails if an object has more than 32,767 events. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await replaceKey(runner, `${KEY}, sequence`);
    await runner.query('ALTER TABLE events DROP COLUMN sequence_base');
  }
}

async function replaceKey(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query('DROP INDEX CONCURRENTLY IF EXISTS events_sequence_next');
  await runner.query(
    `CREATE UNIQUE INDEX CONCURRENTLY events_sequence_next ON events (${columns})`,
  );
  await runner.query(`ALTER TABLE events DROP CONSTRAINT IF EXISTS events_sequence_key,
    ADD CONSTRAINT events_sequence_key UNIQUE USING INDEX events_sequence_next`);
}
