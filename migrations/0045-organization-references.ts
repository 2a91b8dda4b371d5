import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The platform's own ID of an organization. */
export class OrganizationReferences1763700000045 implements MigrationInterface {
  readonly name = 'OrganizationReferences1763700000045';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE organizations ADD COLUMN reference text COLLATE "C"');
    // By itself, because Citus adds no constraint together with something else.
    await runner.query(`ALTER TABLE organizations
      ADD CONSTRAINT organizations_reference_length CHECK (char_length(reference) BETWEEN 1 AND 255)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE organizations DROP COLUMN reference');
  }
}
