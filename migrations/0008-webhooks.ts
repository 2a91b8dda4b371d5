import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * These tables have the webhook endpoints of organizations and of the ledger, and the deliveries of
 * events to them.
 */
const TABLES = `
  CREATE TYPE delivery_outcome AS ENUM ('delivered', 'gone', 'given_up', 'canceled');

  -- An organization has at most 16 endpoints, and each has a place.
  CREATE DOMAIN endpoint_place AS smallint CONSTRAINT endpoint_place CHECK (VALUE BETWEEN 1 AND 16);

  CREATE DOMAIN event_list AS text[] CONSTRAINT event_list CHECK (cardinality(VALUE) > 0);

  CREATE DOMAIN endpoint_description AS text CONSTRAINT endpoint_description
    CHECK (char_length(VALUE) <= 1000);

  CREATE DOMAIN attempt_count AS smallint CONSTRAINT attempt_count CHECK (VALUE >= 0);

  CREATE TABLE webhook_endpoints (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    place endpoint_place NOT NULL,
    url text NOT NULL,
    receiver text NOT NULL,
    events event_list NOT NULL,
    enabled boolean NOT NULL,
    description endpoint_description,
    disabled_reason text,
    failing_since timestamptz,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_expires_at timestamptz,

    CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (organization_id, mode, id),
    -- A violation means that another endpoint was made at the same time.
    CONSTRAINT webhook_endpoints_place_key UNIQUE (organization_id, mode, place),
    CONSTRAINT webhook_endpoints_disabled CHECK (disabled_reason IS NULL OR NOT enabled),
    CONSTRAINT webhook_endpoints_previous_secret CHECK (
      (previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
  );

  -- The ledger's endpoints get the events of all organizations.
  CREATE TABLE ledger_webhook_endpoints (
    mode mode NOT NULL,
    id uuid NOT NULL,
    place endpoint_place NOT NULL,
    url text NOT NULL,
    receiver text NOT NULL,
    events event_list NOT NULL,
    enabled boolean NOT NULL,
    description endpoint_description,
    disabled_reason text,
    failing_since timestamptz,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_expires_at timestamptz,

    CONSTRAINT ledger_webhook_endpoints_pkey PRIMARY KEY (mode, id),
    CONSTRAINT ledger_webhook_endpoints_place_key UNIQUE (mode, place),
    CONSTRAINT ledger_webhook_endpoints_disabled CHECK (disabled_reason IS NULL OR NOT enabled),
    CONSTRAINT ledger_webhook_endpoints_previous_secret CHECK (
      (previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
  );

  -- A delivery is a small row, so that an attempt rewrites a hundred bytes and not the whole event.
  -- It has no foreign key to its event, because the same statement writes or removes both, and the
  -- check would lock the event in every write.
  CREATE TABLE webhook_deliveries (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    event_id uuid NOT NULL,
    url text NOT NULL,
    receiver text NOT NULL,
    attempts attempt_count NOT NULL,
    next_attempt_at timestamptz,
    outcome delivery_outcome,
    -- It is all zeros for a notify_url, which has no endpoint.
    endpoint_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',

    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, mode, event_id, endpoint_id),
    CONSTRAINT webhook_deliveries_finished CHECK (
      (outcome IS NULL) = (next_attempt_at IS NOT NULL))
  );

  -- webhooks.organizations, webhooks.due, webhooks.claim and jobs.pending_work read it.
  CREATE INDEX webhook_deliveries_due
    ON webhook_deliveries (organization_id, receiver, next_attempt_at, event_id)
    WHERE next_attempt_at IS NOT NULL;

  CREATE TABLE webhook_attempts (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    event_id uuid NOT NULL,
    attempt smallint NOT NULL,
    attempted_at timestamptz NOT NULL,
    status_code smallint,
    error text,
    duration_ms integer NOT NULL,
    next_attempt_at timestamptz,
    endpoint_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',

    CONSTRAINT webhook_attempts_pkey
      PRIMARY KEY (organization_id, mode, event_id, endpoint_id, attempt),
    CONSTRAINT webhook_attempts_delivery_fkey
      FOREIGN KEY (organization_id, mode, event_id, endpoint_id)
      REFERENCES webhook_deliveries (organization_id, mode, event_id, endpoint_id)
      ON DELETE CASCADE
  );
`;

export class Webhooks1790000000008 implements MigrationInterface {
  readonly name = 'Webhooks1790000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE webhook_attempts;
      DROP TABLE webhook_deliveries;
      DROP TABLE ledger_webhook_endpoints;
      DROP TABLE webhook_endpoints;
      DROP DOMAIN attempt_count, endpoint_description, event_list, endpoint_place;
      DROP TYPE delivery_outcome;
    `);
  }
}
