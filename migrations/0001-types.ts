import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * These are the types that several tables have in common. A rule about one column is a type of its
 * own and not a CHECK, because PostgreSQL parses the text of each CHECK in every statement, and
 * keeps the rules of types in memory (docs/explain/performance.md). A rule that compares columns is
 * a CHECK of its table.
 */
const TYPES = `
  -- Rows of test keys and of live keys never meet, so the mode is in every key of a table.
  CREATE TYPE mode AS ENUM ('test', 'live');

  -- The form of ISO 4217, in lower case. Only the service knows which currencies there are.
  CREATE DOMAIN currency AS text CONSTRAINT currency CHECK (VALUE ~ '^[a-z]{3}$');

  -- An amount is in the minor unit. The upper bound keeps sums of thousands of amounts below 2^53.
  CREATE DOMAIN amount AS bigint CONSTRAINT amount CHECK (VALUE BETWEEN 0 AND 999999999999);
  CREATE DOMAIN positive_amount AS bigint
    CONSTRAINT positive_amount CHECK (VALUE BETWEEN 1 AND 999999999999);

  -- A sum of several rows has no upper bound here. PostgreSQL checks types first, and what is too
  -- much must be refused by the CHECK that the use case knows by its name.
  CREATE DOMAIN amount_sum AS bigint CONSTRAINT amount_sum CHECK (VALUE >= 0);

  -- These are texts that somebody chose. They are not varchar(n), which removes spaces at the end
  -- without an error, and accepts an empty text.
  CREATE DOMAIN label AS text CONSTRAINT label CHECK (char_length(VALUE) BETWEEN 1 AND 255);
  CREATE DOMAIN note AS text CONSTRAINT note CHECK (char_length(VALUE) <= 500);

  -- A URL that the service has checked. It is null where there is none, and never empty.
  CREATE DOMAIN checked_url AS text CONSTRAINT checked_url CHECK (VALUE <> '');
  CREATE DOMAIN http_url AS text CONSTRAINT http_url CHECK (VALUE ~* '^https?://');

  -- A digest of SHA-256, or a secret that is as long.
  CREATE DOMAIN bytes32 AS bytea CONSTRAINT bytes32 CHECK (octet_length(VALUE) = 32);

  CREATE DOMAIN counter AS integer CONSTRAINT counter CHECK (VALUE >= 0);
`;

export class Types1790000000001 implements MigrationInterface {
  readonly name = 'Types1790000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TYPES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP DOMAIN counter, bytes32, http_url, checked_url, note, label;
      DROP DOMAIN amount_sum, positive_amount, amount, currency;
      DROP TYPE mode;
    `);
  }
}
