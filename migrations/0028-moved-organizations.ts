import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organizations do not move to other databases any more. The keys that one left behind here answered 503: revoked, they
 * are not served without its data. The column `residence` stays until no process of the previous version reads it.
 */
export class MovedOrganizations1763700000028 implements MigrationInterface {
  readonly name = 'MovedOrganizations1763700000028';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`UPDATE api_keys SET revoked_at = now()
      WHERE revoked_at IS NULL AND organization_id IN (SELECT id FROM organizations WHERE residence = 'gone')`);
  }

  /** A revoked key stays revoked. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
  }
}
