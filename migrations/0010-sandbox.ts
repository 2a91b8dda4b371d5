import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The clocks of test mode, which organizations move forward. */
const TABLES = `
  -- A clock is at most 400 days ahead.
  CREATE DOMAIN clock_seconds AS integer CONSTRAINT clock_seconds
    CHECK (VALUE BETWEEN 0 AND 34560000);

  CREATE TABLE sandbox_clocks (
    organization_id uuid NOT NULL,
    ahead_seconds clock_seconds NOT NULL,
    -- What became due up to here is done.
    scheduled_seconds clock_seconds NOT NULL,

    CONSTRAINT sandbox_clocks_pkey PRIMARY KEY (organization_id),
    CONSTRAINT sandbox_clocks_scheduled CHECK (scheduled_seconds <= ahead_seconds)
  );
`;

export class Sandbox1790000000010 implements MigrationInterface {
  readonly name = 'Sandbox1790000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE sandbox_clocks;
      DROP DOMAIN clock_seconds;
    `);
  }
}
