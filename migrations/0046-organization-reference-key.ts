import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Not a transaction, so that organizations can be made meanwhile. After an interruption it can be run again. */
export class OrganizationReferenceKey1763700000046 implements MigrationInterface {
  readonly name = 'OrganizationReferenceKey1763700000046';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(
      'CREATE UNIQUE INDEX CONCURRENTLY organizations_reference_key ON organizations (reference)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS organizations_reference_key');
  }
}
