import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations and their API keys. The ID of each contains its creation time (UUIDv7). */
export class Access1763700000001 implements MigrationInterface {
  readonly name = 'Access1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE organizations (
        id uuid NOT NULL,
        name text NOT NULL,
        webhook_secret text NOT NULL,
        CONSTRAINT organizations_pkey PRIMARY KEY (id),
        CONSTRAINT organizations_name_length CHECK (char_length(name) BETWEEN 1 AND 255)
      )`);
    // The primary key is the ID alone, because a key is looked up by its digest before the organization is known.
    await runner.query(`
      CREATE TABLE api_keys (
        id uuid NOT NULL,
        organization_id uuid,
        kind text NOT NULL,
        mode text NOT NULL,
        digest bytea NOT NULL,
        display text NOT NULL,
        allowed_origins text[] NOT NULL DEFAULT '{}',
        expires_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT api_keys_pkey PRIMARY KEY (id),
        CONSTRAINT api_keys_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        CONSTRAINT api_keys_digest_key UNIQUE (digest),
        CONSTRAINT api_keys_digest_length CHECK (octet_length(digest) = 32),
        CONSTRAINT api_keys_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT api_keys_kind CHECK (kind IN ('secret', 'ledger')),
        CONSTRAINT api_keys_owner CHECK ((kind = 'secret') = (organization_id IS NOT NULL))
      )`);
    await runner.query('CREATE INDEX api_keys_organization ON api_keys (organization_id, id)');
    // A preflight request has no key. It is answered if any active key lists the origin.
    await runner.query(
      'CREATE INDEX api_keys_allowed_origins ON api_keys USING gin (allowed_origins) WHERE revoked_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE api_keys');
    await runner.query('DROP TABLE organizations');
  }
}
