import type { MigrationInterface, QueryRunner } from 'typeorm';

const ENDPOINT = `
  id uuid NOT NULL,
  place smallint NOT NULL,
  url text NOT NULL,
  receiver text NOT NULL,
  events text[] NOT NULL,
  enabled boolean NOT NULL,
  description text,
  disabled_reason text,
  failing_since timestamptz,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_expires_at timestamptz`;

const rulesOf = (table: string) => `
  CONSTRAINT ${table}_mode CHECK (mode IN ('test', 'live')),
  CONSTRAINT ${table}_place CHECK (place BETWEEN 1 AND 16),
  CONSTRAINT ${table}_events CHECK (cardinality(events) > 0),
  CONSTRAINT ${table}_description_length CHECK (char_length(description) <= 1000),
  CONSTRAINT ${table}_disabled CHECK (disabled_reason IS NULL OR NOT enabled),
  CONSTRAINT ${table}_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))`;

/** Stands for no endpoint: a delivery to the `notify_url` of the resource itself. */
const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000';

/**
 * Endpoints of organizations and, in a table of its own, of the ledger, which has no organization. Each endpoint has one of 16
 * places, so that two requests at the same time cannot exceed the limit.
 */
export class WebhookEndpoints1763700000016 implements MigrationInterface {
  readonly name = 'WebhookEndpoints1763700000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE webhook_endpoints (
        organization_id uuid NOT NULL,
        mode text NOT NULL, ${ENDPOINT},
        CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT webhook_endpoints_place_key UNIQUE (organization_id, mode, place), ${rulesOf('webhook_endpoints')}
      )`);
    await runner.query(`
      CREATE TABLE ledger_webhook_endpoints (
        mode text NOT NULL, ${ENDPOINT},
        CONSTRAINT ledger_webhook_endpoints_pkey PRIMARY KEY (mode, id),
        CONSTRAINT ledger_webhook_endpoints_place_key UNIQUE (mode, place), ${rulesOf('ledger_webhook_endpoints')}
      )`);
    await runner.query(`
      CREATE TABLE encryption_keys (
        id smallint NOT NULL,
        key bytea NOT NULL,
        CONSTRAINT encryption_keys_pkey PRIMARY KEY (id),
        CONSTRAINT encryption_keys_key_length CHECK (octet_length(key) = 32)
      )`);
    // 244 random bits from PostgreSQL's strong random source.
    await runner.query(`INSERT INTO encryption_keys (id, key)
      VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))`);
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      await runner.query(
        `ALTER TABLE ${table} ADD COLUMN endpoint_id uuid NOT NULL DEFAULT '${NO_ENDPOINT}'`,
      );
    await runner.query('ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_outcome');
    await runner.query(`ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_outcome
      CHECK (outcome IN ('delivered', 'gone', 'given_up', 'canceled')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(
      `UPDATE webhook_deliveries SET outcome = 'given_up' WHERE outcome = 'canceled'`,
    );
    await runner.query('ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_outcome');
    await runner.query(`ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_outcome
      CHECK (outcome IN ('delivered', 'gone', 'given_up'))`);
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      await runner.query(`ALTER TABLE ${table} DROP COLUMN endpoint_id`);
    await runner.query('DROP TABLE webhook_endpoints, ledger_webhook_endpoints, encryption_keys');
  }
}
