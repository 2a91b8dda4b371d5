import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Neither form begins with the scheme of another URL, because the page links to the contact. */
const ANY_ADDRESS = `'^(https://|(?![a-z0-9+.-]+:).+@)'`;
const PLAIN_ADDRESS = `'^(https://|[^@:]+@[^@:]+$)'`;

/** The contact of an organization may be any e-mail address, with an IPv6 address or a quoted @ too. */
export class ContactAddresses1763700000054 implements MigrationInterface {
  readonly name = 'ContactAddresses1763700000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await replaceRule(runner, ANY_ADDRESS);
  }

  /** Fails while an organization has an address that the version before cannot store. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    const unknown = `SELECT id FROM organizations WHERE contact !~* ${PLAIN_ADDRESS} LIMIT 1`;
    const [organization] = (await runner.query(unknown)) as { readonly id: string }[];
    if (organization)
      throw new Error(
        `The contact of organization ${organization.id} has : or @ inside. Change it first.`,
      );
    await replaceRule(runner, PLAIN_ADDRESS);
  }
}

async function replaceRule(runner: QueryRunner, form: string): Promise<void> {
  await runner.query('ALTER TABLE organizations DROP CONSTRAINT organizations_contact');
  await runner.query(
    `ALTER TABLE organizations ADD CONSTRAINT organizations_contact
       CHECK (char_length(contact) <= 500 AND contact ~* ${form})`,
  );
}
