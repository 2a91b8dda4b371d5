import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events, which never change. */
const TABLES = `
  -- Any name of this form is accepted, because a version writes events that the one before does
  -- not know.
  CREATE DOMAIN event_type AS text CONSTRAINT event_type
    CHECK (VALUE ~ '^[a-z_]+([.][a-z_]+)+$');

  CREATE DOMAIN ordinal AS smallint CONSTRAINT ordinal CHECK (VALUE >= 1);

  CREATE TABLE events (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    type event_type NOT NULL,
    object_id uuid NOT NULL,
    -- The number of an event among those of its object is sequence_base + sequence.
    sequence ordinal NOT NULL,
    data text NOT NULL,
    reason text,
    sequence_base integer NOT NULL DEFAULT 0,
    details text,
    -- The order of events for readers that follow.
    position bigint NOT NULL DEFAULT 0,

    CONSTRAINT events_pkey PRIMARY KEY (organization_id, mode, id),
    -- A violation means that another request has changed the object. The list of the events of an
    -- object reads it.
    CONSTRAINT events_sequence_key
      UNIQUE (organization_id, mode, object_id, sequence_base, sequence)
  );

  -- events.list_all_asc and events.list_all_desc read it.
  CREATE INDEX events_list ON events (organization_id, mode, position, id);

  -- events.list_type_asc and events.list_type_desc read it.
  CREATE INDEX events_list_of_type ON events (organization_id, mode, type, position, id);

  -- events.ledger_list_asc and events.ledger_list_desc read it.
  CREATE INDEX events_list_across ON events (mode, type, position, id);

  -- events.ledger_list_asc and events.ledger_list_desc read it for the neighbours of a cursor, and
  -- on Citus for the list. EventSweeper.find reads it, too. Its condition is always true, and only
  -- they say it: for a list of one organization's events, the planner would take this index.
  CREATE INDEX events_across ON events (mode, type, id) WHERE position >= 0;
`;

const POSITIONS = `
  CREATE SEQUENCE events_position_seq OWNED BY events.position;
  ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_position_seq');
`;

const CITUS = `SELECT FROM pg_extension WHERE extname = 'citus'`;

export class Events1790000000007 implements MigrationInterface {
  readonly name = 'Events1790000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
    // On Citus, machines have no sequence in common, and every position is 0.
    const [citus] = await runner.query(CITUS);
    if (citus === undefined) await runner.query(POSITIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE events;
      DROP DOMAIN ordinal, event_type;
    `);
  }
}
