import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['idempotency_keys'],
  indexesAcrossTenants: ['idempotency_keys_expiry'],
  nullable: ['idempotency_keys.ahead_seconds', 'idempotency_keys.location'],
  narrow: { 'idempotency_keys.status': 'three digits' },
  keys: {
    idempotency_keys_pkey: 'idempotency_keys PRIMARY KEY (organization_id, mode, operation, key)',
  },
};
