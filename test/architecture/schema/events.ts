import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['events', 'webhook_attempts', 'webhook_deliveries'],
  indexesAcrossTenants: ['events_id'],
  nullable: [
    'events.reason',
    'webhook_attempts.error',
    'webhook_attempts.next_attempt_at',
    'webhook_attempts.status_code',
    'webhook_deliveries.next_attempt_at',
    'webhook_deliveries.outcome',
  ],
  keys: {
    events_pkey: 'events PRIMARY KEY (organization_id, mode, id)',
    events_sequence_key: 'events UNIQUE (organization_id, mode, object_id, sequence)',
    webhook_attempts_delivery_fkey:
      'webhook_attempts FOREIGN KEY (organization_id, mode, event_id) REFERENCES webhook_deliveries(organization_id, mode, event_id) ON DELETE CASCADE',
    webhook_attempts_pkey: 'webhook_attempts PRIMARY KEY (organization_id, mode, event_id, attempt)',
    webhook_deliveries_pkey: 'webhook_deliveries PRIMARY KEY (organization_id, mode, event_id)',
  },
};
