import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The data of payment pages. The secret is created here once, because every process must derive the same URLs from it.
 * `gen_random_uuid` takes its 122 random bits from the operating system.
 */
export class Page1763700000019 implements MigrationInterface {
  readonly name = 'Page1763700000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE page_secrets (
        id smallint NOT NULL,
        secret bytea NOT NULL,
        CONSTRAINT page_secrets_pkey PRIMARY KEY (id),
        CONSTRAINT page_secrets_only_one CHECK (id = 1),
        CONSTRAINT page_secrets_length CHECK (octet_length(secret) = 32)
      )`);
    const random = 'uuid_send(gen_random_uuid())';
    await runner.query(
      `INSERT INTO page_secrets VALUES (1, sha256(${random} || ${random} || ${random}))`,
    );
    await runner.query(`
      CREATE TABLE payment_urls (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        url text NOT NULL,
        CONSTRAINT payment_urls_pkey PRIMARY KEY (organization_id, mode),
        CONSTRAINT payment_urls_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        CONSTRAINT payment_urls_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT payment_urls_url CHECK (url ~* '^https?://')
      )`);
    await runner.query(`
      CREATE TABLE checkout_pages (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        session_id uuid NOT NULL,
        payment_url text,
        started_at timestamptz,
        CONSTRAINT checkout_pages_pkey PRIMARY KEY (organization_id, mode, session_id),
        CONSTRAINT checkout_pages_session_fkey FOREIGN KEY (organization_id, mode, session_id)
          REFERENCES checkout_sessions (organization_id, mode, id),
        CONSTRAINT checkout_pages_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT checkout_pages_payment_url CHECK (payment_url ~* '^https?://')
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE checkout_pages');
    await runner.query('DROP TABLE payment_urls');
    await runner.query('DROP TABLE page_secrets');
  }
}
