import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the test clocks of organizations are ahead of real time. 400 days are 34,560,000 seconds. */
export class SandboxClocks1763700000018 implements MigrationInterface {
  readonly name = 'SandboxClocks1763700000018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE sandbox_clocks (
        organization_id uuid NOT NULL,
        ahead_seconds integer NOT NULL,
        scheduled_seconds integer NOT NULL,
        CONSTRAINT sandbox_clocks_pkey PRIMARY KEY (organization_id),
        CONSTRAINT sandbox_clocks_ahead CHECK (ahead_seconds BETWEEN 0 AND 34560000),
        CONSTRAINT sandbox_clocks_scheduled CHECK (scheduled_seconds BETWEEN 0 AND ahead_seconds)
      )`);
  }

  /** Test data with times in the future keeps them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE sandbox_clocks');
  }
}
