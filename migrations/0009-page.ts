import type { MigrationInterface, QueryRunner } from 'typeorm';

/** These tables have what the pages need on which customers pay. */
const TABLES = `
  CREATE TABLE page_secrets (
    id smallint NOT NULL,
    secret bytes32 NOT NULL,

    CONSTRAINT page_secrets_pkey PRIMARY KEY (id),
    CONSTRAINT page_secrets_only_one CHECK (id = 1)
  );

  -- The addresses of pages are derived from this secret, so all processes must have the same one.
  -- Each UUID has 122 bits from PostgreSQL's strong source of random bytes.
  INSERT INTO page_secrets VALUES (1, sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

  CREATE TABLE payment_urls (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    url http_url NOT NULL,

    CONSTRAINT payment_urls_pkey PRIMARY KEY (organization_id, mode),
    CONSTRAINT payment_urls_organization_fkey
      FOREIGN KEY (organization_id) REFERENCES organizations (id)
  );

  CREATE TABLE checkout_pages (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    session_id uuid NOT NULL,
    payment_url http_url,
    started_at timestamptz,

    CONSTRAINT checkout_pages_pkey PRIMARY KEY (organization_id, mode, session_id),
    CONSTRAINT checkout_pages_session_fkey FOREIGN KEY (organization_id, mode, session_id)
      REFERENCES checkout_sessions (organization_id, mode, id)
  );

  -- The bank transfers of the pretend payer, which arrive later. There are none in live mode.
  CREATE TABLE late_payments (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    session_id uuid NOT NULL,
    due_at timestamptz NOT NULL,

    CONSTRAINT late_payments_pkey PRIMARY KEY (organization_id, mode, session_id),
    CONSTRAINT late_payments_session_fkey FOREIGN KEY (organization_id, mode, session_id)
      REFERENCES checkout_sessions (organization_id, mode, id),
    CONSTRAINT late_payments_mode CHECK (mode = 'test')
  );

  -- Pages.dueTransfers and jobs.pending_work read it, for all organizations.
  CREATE INDEX late_payments_due ON late_payments (due_at);
`;

export class Page1790000000009 implements MigrationInterface {
  readonly name = 'Page1790000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE late_payments;
      DROP TABLE checkout_pages;
      DROP TABLE payment_urls;
      DROP TABLE page_secrets;
    `);
  }
}
