import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stored responses. This table and those of money have no foreign key to organizations: its check would lock the row of the
 * organization in every write, and the ID comes from an authenticated key, which has that foreign key.
 */
export class Idempotency1763700000002 implements MigrationInterface {
  readonly name = 'Idempotency1763700000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    // The body is text and not jsonb, so that a replay has the same bytes.
    await runner.query(`
      CREATE TABLE idempotency_keys (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        operation text NOT NULL,
        key text COLLATE "C" NOT NULL,
        fingerprint bytea NOT NULL,
        status smallint NOT NULL,
        location text,
        body text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, mode, operation, key),
        CONSTRAINT idempotency_keys_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT idempotency_keys_key_length CHECK (char_length(key) BETWEEN 1 AND 255),
        CONSTRAINT idempotency_keys_fingerprint_length CHECK (octet_length(fingerprint) = 32),
        CONSTRAINT idempotency_keys_status CHECK (status IN (200, 201, 404, 422))
      )`);
    await runner.query('CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE idempotency_keys');
  }
}
