import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events and their deliveries. An event never changes. Its delivery is a small row of its own, so that an attempt rewrites a
 * hundred bytes and not the whole event. There is no foreign key, because the same statement writes or removes the event and
 * its delivery, and the check would lock the event in every write.
 */
export class Events1763700000007 implements MigrationInterface {
  readonly name = 'Events1763700000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE events (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        object_id uuid NOT NULL,
        sequence smallint NOT NULL,
        data text NOT NULL,
        CONSTRAINT events_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT events_sequence_key UNIQUE (organization_id, mode, object_id, sequence),
        CONSTRAINT events_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT events_type CHECK (type IN (
          'checkout.session.created', 'checkout.session.completed', 'checkout.session.expired',
          'refund.created', 'refund.succeeded', 'refund.failed', 'refund.canceled')),
        CONSTRAINT events_sequence CHECK (sequence IN (1, 2))
      )`);
    await runner.query('CREATE INDEX events_type_list ON events (organization_id, mode, type, id)');
    // For retention and for operators' commands, which read the events of all organizations.
    await runner.query('CREATE INDEX events_id ON events (id)');
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        event_id uuid NOT NULL,
        url text NOT NULL,
        receiver text NOT NULL,
        attempts smallint NOT NULL,
        next_attempt_at timestamptz,
        outcome text,
        CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, mode, event_id),
        CONSTRAINT webhook_deliveries_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT webhook_deliveries_attempts CHECK (attempts >= 0),
        CONSTRAINT webhook_deliveries_outcome CHECK (outcome IN ('delivered', 'gone', 'given_up')),
        CONSTRAINT webhook_deliveries_finished CHECK ((outcome IS NULL) = (next_attempt_at IS NOT NULL))
      )`);
    await runner.query(
      'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE webhook_attempts (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        event_id uuid NOT NULL,
        attempt smallint NOT NULL,
        attempted_at timestamptz NOT NULL,
        status_code smallint,
        error text,
        duration_ms integer NOT NULL,
        next_attempt_at timestamptz,
        CONSTRAINT webhook_attempts_pkey PRIMARY KEY (organization_id, mode, event_id, attempt),
        CONSTRAINT webhook_attempts_delivery_fkey FOREIGN KEY (organization_id, mode, event_id)
          REFERENCES webhook_deliveries (organization_id, mode, event_id) ON DELETE CASCADE
      )`);
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN previous_webhook_secret text,
        ADD COLUMN previous_webhook_secret_expires_at timestamptz,
        ADD CONSTRAINT organizations_previous_webhook_secret
          CHECK ((previous_webhook_secret IS NULL) = (previous_webhook_secret_expires_at IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE organizations
        DROP COLUMN previous_webhook_secret,
        DROP COLUMN previous_webhook_secret_expires_at`);
    await runner.query('DROP TABLE webhook_attempts');
    await runner.query('DROP TABLE webhook_deliveries');
    await runner.query('DROP TABLE events');
  }
}
