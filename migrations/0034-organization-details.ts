import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the page of a session shows about its organization. */
export class OrganizationDetails1763700000034 implements MigrationInterface {
  readonly name = 'OrganizationDetails1763700000034';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const column of ['contact', 'terms_url', 'privacy_url']) {
      await runner.query(`ALTER TABLE organizations ADD COLUMN ${column} text`);
    }
    await runner.query(
      `ALTER TABLE organizations ADD CONSTRAINT organizations_contact
         CHECK (char_length(contact) <= 500 AND contact ~* '^(https://|[^@:]+@[^@:]+$)')`,
    );
    for (const column of ['terms_url', 'privacy_url']) {
      await runner.query(
        `ALTER TABLE organizations ADD CONSTRAINT organizations_${column}
           CHECK (char_length(${column}) <= 500 AND ${column} ~* '^https://')`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const column of ['contact', 'terms_url', 'privacy_url']) {
      await runner.query(`ALTER TABLE organizations DROP COLUMN ${column}`);
    }
  }
}
