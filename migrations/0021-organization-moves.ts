import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Moving an organization to another database: its keys are refused while it leaves, and after it is gone. */
export class OrganizationMoves1763700000021 implements MigrationInterface {
  readonly name = 'OrganizationMoves1763700000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(
      `ALTER TABLE organizations ADD COLUMN residence text NOT NULL DEFAULT 'here'`,
    );
    await runner.query(`ALTER TABLE organizations
      ADD CONSTRAINT organizations_residence CHECK (residence IN ('here', 'leaving', 'gone'))`);
  }

  /** Revokes the keys of organizations that have moved away, which would otherwise be served without their data. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`UPDATE api_keys SET revoked_at = now()
      WHERE revoked_at IS NULL AND organization_id IN (SELECT id FROM organizations WHERE residence = 'gone')`);
    await runner.query('ALTER TABLE organizations DROP COLUMN residence');
  }
}
