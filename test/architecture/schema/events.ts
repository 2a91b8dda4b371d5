import type { Schema } from '../../support/schema.js';

const ENDPOINT_WITHOUT = [
  'description',
  'disabled_reason',
  'failing_since',
  'previous_secret',
  'previous_secret_expires_at',
];

export const SCHEMA: Schema = {
  tenantTables: ['events', 'webhook_attempts', 'webhook_deliveries', 'webhook_endpoints'],
  otherTables: ['ledger_webhook_endpoints'],
  indexesAcrossTenants: ['events_across'],
  nullable: [
    'events.details',
    'events.reason',
    ...['webhook_endpoints', 'ledger_webhook_endpoints'].flatMap((table) =>
      ENDPOINT_WITHOUT.map((column) => `${table}.${column}`),
    ),
    'webhook_attempts.error',
    'webhook_attempts.next_attempt_at',
    'webhook_attempts.status_code',
    'webhook_deliveries.next_attempt_at',
    'webhook_deliveries.outcome',
  ],
  narrow: {
    'events.sequence': 'sequence_base counts on',
    'ledger_webhook_endpoints.place': 'at most 16, by a check',
    'webhook_attempts.attempt': 'as webhook_deliveries.attempts',
    'webhook_attempts.status_code': 'three digits, by HTTP',
    'webhook_deliveries.attempts': 'stays at the largest; given up after 1,000, resent up to 100',
    'webhook_endpoints.place': 'at most 16, by a check',
  },
  keys: {
    events_pkey: 'events PRIMARY KEY (organization_id, mode, id)',
    events_sequence_key: 'events UNIQUE (organization_id, mode, object_id, sequence_base, sequence)',
    ledger_webhook_endpoints_pkey: 'ledger_webhook_endpoints PRIMARY KEY (mode, id)',
    ledger_webhook_endpoints_place_key: 'ledger_webhook_endpoints UNIQUE (mode, place)',
    webhook_attempts_delivery_fkey:
      'webhook_attempts FOREIGN KEY (organization_id, mode, event_id, endpoint_id) REFERENCES webhook_deliveries(organization_id, mode, event_id, endpoint_id) ON DELETE CASCADE',
    webhook_attempts_pkey: 'webhook_attempts PRIMARY KEY (organization_id, mode, event_id, endpoint_id, attempt)',
    webhook_deliveries_pkey: 'webhook_deliveries PRIMARY KEY (organization_id, mode, event_id, endpoint_id)',
    webhook_endpoints_pkey: 'webhook_endpoints PRIMARY KEY (organization_id, mode, id)',
    webhook_endpoints_place_key: 'webhook_endpoints UNIQUE (organization_id, mode, place)',
  },
};
