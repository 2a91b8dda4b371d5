import type { MigrationInterface, QueryRunner } from 'typeorm';

type Indexes = Readonly<Record<string, string>>;

const DELIVERY = 'organization_id, mode, event_id, endpoint_id';
const KEYS: Indexes = {
  webhook_deliveries_next: `UNIQUE INDEX webhook_deliveries_next ON webhook_deliveries (${DELIVERY})`,
  webhook_attempts_next: `UNIQUE INDEX webhook_attempts_next ON webhook_attempts (${DELIVERY}, attempt)`,
};
const LISTS: Indexes = {
  // First attempts are due at once, and are made in the order of their events.
  webhook_deliveries_due: `INDEX webhook_deliveries_due
    ON webhook_deliveries (organization_id, receiver, next_attempt_at, event_id) WHERE next_attempt_at IS NOT NULL`,
  // For the ledger, for retention and for operators' commands, which read the rows of all organizations.
  events_across: 'INDEX events_across ON events (mode, type, id)',
};
const LISTS_BEFORE: Indexes = {
  webhook_deliveries_receiver: `INDEX webhook_deliveries_receiver
    ON webhook_deliveries (organization_id, receiver, next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
  events_id: 'INDEX events_id ON events (id)',
};
const KEYS_BEFORE: Indexes = {
  webhook_deliveries_next:
    'UNIQUE INDEX webhook_deliveries_next ON webhook_deliveries (organization_id, mode, event_id)',
  webhook_attempts_next: `UNIQUE INDEX webhook_attempts_next
    ON webhook_attempts (organization_id, mode, event_id, attempt)`,
};

/**
 * An event has a delivery for each endpoint. Not a transaction, because it reads large tables while others write to them.
 * After an interruption it can be run again.
 */
export class WebhookEndpointKeys1763700000017 implements MigrationInterface {
  readonly name = 'WebhookEndpointKeys1763700000017';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await make(runner, KEYS);
    await replaceKeys(runner, DELIVERY);
    await make(runner, LISTS);
    await drop(runner, LISTS_BEFORE);
    await runner.query(
      'ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_outcome',
    );
  }

  /** Removes the deliveries to endpoints, because an event had only one delivery. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await runner.query(
      `DELETE FROM webhook_deliveries WHERE endpoint_id <> '00000000-0000-0000-0000-000000000000'`,
    );
    await make(runner, KEYS_BEFORE);
    await replaceKeys(runner, 'organization_id, mode, event_id');
    await make(runner, LISTS_BEFORE);
    await drop(runner, LISTS);
  }
}

async function make(runner: QueryRunner, indexes: Indexes): Promise<void> {
  for (const [name, definition] of Object.entries(indexes)) {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE ${definition.replace('INDEX', 'INDEX CONCURRENTLY')}`);
  }
}

async function drop(runner: QueryRunner, indexes: Indexes): Promise<void> {
  for (const name of Object.keys(indexes))
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** Renames constraints. The foreign key is validated afterwards, while others write. */
async function replaceKeys(runner: QueryRunner, delivery: string): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(
      'ALTER TABLE webhook_attempts DROP CONSTRAINT IF EXISTS webhook_attempts_delivery_fkey',
    );
    for (const table of ['webhook_deliveries', 'webhook_attempts']) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_pkey`);
      await runner.query(
        `ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY USING INDEX ${table}_next`,
      );
    }
    await runner.query(`ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_delivery_fkey
      FOREIGN KEY (${delivery}) REFERENCES webhook_deliveries (${delivery}) ON DELETE CASCADE NOT VALID`);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
  await runner.query(
    'ALTER TABLE webhook_attempts VALIDATE CONSTRAINT webhook_attempts_delivery_fkey',
  );
}
