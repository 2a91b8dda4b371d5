import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key of values that are stored encrypted, unless the operator gives one. */
const TABLES = `
  CREATE TABLE encryption_keys (
    id smallint NOT NULL,
    key bytes32 NOT NULL,

    CONSTRAINT encryption_keys_pkey PRIMARY KEY (id)
  );

  -- It has 244 bits from PostgreSQL's strong source of random bytes.
  INSERT INTO encryption_keys (id, key)
    VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
`;

export class Encryption1790000000011 implements MigrationInterface {
  readonly name = 'Encryption1790000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE encryption_keys');
  }
}
