import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations and API keys. The ID of each contains its creation time (UUIDv7). */
const TABLES = `
  -- This says which refunds of an organization wait for approval: those of keys that may only
  -- propose, or all.
  CREATE TYPE approval_rule AS ENUM ('keys', 'all');

  CREATE TYPE key_kind AS ENUM ('secret', 'restricted', 'ledger', 'operator');

  -- An e-mail address or a URL. It never begins with the scheme of another URL, because the page
  -- links to it.
  CREATE DOMAIN contact AS text CONSTRAINT contact
    CHECK (char_length(VALUE) <= 500 AND VALUE ~* '^(https://|(?![a-z0-9+.-]+:).+@)');

  CREATE DOMAIN https_url AS text CONSTRAINT https_url
    CHECK (char_length(VALUE) <= 500 AND VALUE ~* '^https://');

  CREATE DOMAIN retention_days AS integer CONSTRAINT retention_days
    CHECK (VALUE BETWEEN 1 AND 3650);

  CREATE DOMAIN holder AS text CONSTRAINT holder CHECK (char_length(VALUE) BETWEEN 1 AND 100);

  CREATE TABLE organizations (
    id uuid NOT NULL,
    name label NOT NULL,
    webhook_secret text NOT NULL,
    previous_webhook_secret text,
    previous_webhook_secret_expires_at timestamptz,
    contact contact,
    terms_url https_url,
    privacy_url https_url,
    refund_approval approval_rule NOT NULL DEFAULT 'keys',
    -- It is null if details of closed sessions are kept for ever.
    details_retention_days retention_days,
    -- The operator's own ID of the organization.
    reference label COLLATE "C",
    -- Then at most one session of each reference is open or complete.
    unique_references boolean NOT NULL DEFAULT false,

    CONSTRAINT organizations_pkey PRIMARY KEY (id),
    CONSTRAINT organizations_previous_webhook_secret CHECK (
      (previous_webhook_secret IS NULL) = (previous_webhook_secret_expires_at IS NULL))
  );

  -- A violation means that the operator has made this organization before. It finds it, too.
  CREATE UNIQUE INDEX organizations_reference_key ON organizations (reference);

  CREATE TABLE api_keys (
    id uuid NOT NULL,
    -- It is null in keys of the ledger and of operators, which belong to no organization.
    organization_id uuid,
    kind key_kind NOT NULL,
    -- It is null in keys of operators, which see both modes.
    mode mode,
    digest bytes32 NOT NULL,
    display text NOT NULL,
    allowed_origins text[] NOT NULL DEFAULT '{}',
    expires_at timestamptz,
    revoked_at timestamptz,
    holder holder NOT NULL,
    -- It is no array of an enum, because pg parses no arrays of types that it does not know.
    rights text[] NOT NULL DEFAULT '{}',
    last_used_at timestamptz,

    -- The organization is no part of the key, because it is known only once the key is found.
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    -- Each request whose key is not in memory finds it by its digest (access.key_by_digest).
    CONSTRAINT api_keys_digest_key UNIQUE (digest),
    CONSTRAINT api_keys_organization_fkey
      FOREIGN KEY (organization_id) REFERENCES organizations (id),
    CONSTRAINT api_keys_owner CHECK (
      (kind IN ('secret', 'restricted')) = (organization_id IS NOT NULL)),
    CONSTRAINT api_keys_operator_mode CHECK ((kind = 'operator') = (mode IS NULL)),
    CONSTRAINT api_keys_operator_origins CHECK (kind <> 'operator' OR allowed_origins = '{}'),
    CONSTRAINT api_keys_rights CHECK (
      rights <@ ARRAY['sessions', 'propose', 'approve'] AND (kind = 'restricted' OR rights = '{}'))
  );

  -- ApiKeys.list reads it, and the foreign key.
  CREATE INDEX api_keys_organization ON api_keys (organization_id, id);

  CREATE TYPE author_way AS ENUM ('api', 'command_line');

  -- The trail of keys and settings. Rows are only added, and kept for ever.
  CREATE TABLE operator_events (
    id uuid NOT NULL,
    -- Readers follow the positions (persistence/feed-floor.ts).
    position bigint NOT NULL DEFAULT 0,
    type text NOT NULL,
    -- It is null where the resource belongs to no organization.
    organization_id uuid,
    resource text NOT NULL,
    via author_way NOT NULL,
    key_id text,
    holder holder NOT NULL,
    changes json NOT NULL,

    CONSTRAINT operator_events_pkey PRIMARY KEY (id),
    CONSTRAINT operator_events_key CHECK ((via = 'api') = (key_id IS NOT NULL))
  );

  -- Trail.list reads it for the events of all organizations.
  CREATE INDEX operator_events_position ON operator_events (position, id);

  -- Trail.list reads it for the events of an organization.
  CREATE INDEX operator_events_organization ON operator_events (organization_id, position, id);

  -- Trail.list reads it for the events of a type.
  CREATE INDEX operator_events_type ON operator_events (type, position, id);

  -- On Citus, machines have no sequence in common, and every position is 0 (citus/distribute.ts).
  CREATE SEQUENCE operator_events_position_seq OWNED BY operator_events.position;
  ALTER TABLE operator_events
    ALTER COLUMN position SET DEFAULT nextval('operator_events_position_seq');
`;

/**
 * Only the owner of the trail may change or remove what it says. Other roles get these rights by
 * default privileges, by a grant on all tables, and in a database that was restored, so each
 * `migrate` of the owner takes them away.
 */
export const KEEP_TRAIL = `DO $$
  DECLARE
    grantee text;
  BEGIN
    FOR grantee IN
      SELECT DISTINCT CASE given.grantee WHEN 0 THEN 'PUBLIC' ELSE given.grantee::regrole::text END
      FROM pg_class AS trail CROSS JOIN aclexplode(trail.relacl) AS given
      WHERE trail.oid = to_regclass('operator_events') AND given.grantee <> trail.relowner
        AND given.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')
        AND pg_has_role(trail.relowner, 'USAGE')
    LOOP
      EXECUTE 'REVOKE UPDATE, DELETE, TRUNCATE ON operator_events FROM ' || grantee;
    END LOOP;
  END
$$`;

/**
 * Keys that a process of 1.1.0 made have no holder: the holder is the ID of the key. It is a
 * TypeID, which is the 128 bits of the UUID after two zeros, as 26 characters of 5 bits.
 */
const HOLDERS = `
  UPDATE api_keys SET holder = 'key_' || (
    SELECT string_agg(
      substr('0123456789abcdefghjkmnpqrstvwxyz',
        substr(bits, place * 5 + 1, 5)::bit(5)::integer + 1, 1), '' ORDER BY place)
    FROM generate_series(0, 25) AS place,
      (SELECT '00' || ('x' || replace(id::text, '-', ''))::bit(128)::text AS bits) AS uuid)
  WHERE holder IS NULL`;

export class Access1790000000002 implements MigrationInterface {
  readonly name = 'Access1790000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  /** Gives the rows of 1.2.0 what the rules above ask for. */
  async takeOver(runner: QueryRunner): Promise<void> {
    await runner.query(HOLDERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE operator_events;
      DROP TABLE api_keys;
      DROP TABLE organizations;
      DROP DOMAIN holder, retention_days, https_url, contact;
      DROP TYPE author_way, key_kind, approval_rule;
    `);
  }
}
