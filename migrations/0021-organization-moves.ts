import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An organization may move to another database: its keys are not served while it leaves, nor once it is gone. */
export class OrganizationMoves1763700000021 implements MigrationInterface {
  readonly name = 'OrganizationMoves1763700000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`ALTER TABLE organizations ADD COLUMN residence text NOT NULL DEFAULT 'here'`);
    await runner.query(`ALTER TABLE organizations
      ADD CONSTRAINT organizations_residence CHECK (residence IN ('here', 'leaving', 'gone'))`);
  }

  /** Organizations that have left would be served again, without what they had. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`UPDATE api_keys SET revoked_at = now()
      WHERE revoked_at IS NULL AND organization_id IN (SELECT id FROM organizations WHERE residence = 'gone')`);
    await runner.query('ALTER TABLE organizations DROP COLUMN residence');
  }
}
