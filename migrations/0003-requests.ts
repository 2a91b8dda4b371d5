import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * This table stores responses. Neither it nor the tables of money have a foreign key to
 * organizations. Its check would lock the row of the organization in every write, and the ID comes
 * from an API key, which has this foreign key.
 */
const TABLES = `
  -- These are the answers that are stored: others are not final.
  CREATE DOMAIN stored_status AS smallint CONSTRAINT stored_status
    CHECK (VALUE IN (200, 201, 404, 422));

  CREATE TABLE idempotency_keys (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    operation text NOT NULL,
    key label COLLATE "C" NOT NULL,
    fingerprint bytes32 NOT NULL,
    status stored_status NOT NULL,
    location text,
    -- It is text and not jsonb, so that a replay has the same bytes.
    body text NOT NULL,
    expires_at timestamptz NOT NULL,
    -- What a response with 200 or 201 shows or changed, if that has an ID.
    resource_id uuid,

    -- A violation means that another request has the key. idempotency.find reads it.
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, mode, operation, key)
  );

  -- idempotency.old reads it to remove what has expired.
  CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

  -- personal_data.find idempotency_keys body reads it, to forget the answers about a resource.
  CREATE INDEX idempotency_keys_resource ON idempotency_keys (organization_id, mode, resource_id)
    WHERE resource_id IS NOT NULL;
`;

export class Requests1790000000003 implements MigrationInterface {
  readonly name = 'Requests1790000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE idempotency_keys;
      DROP DOMAIN stored_status;
    `);
  }
}
