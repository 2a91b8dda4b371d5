import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['refunds'],
  indexesAcrossTenants: ['refunds_claim_list', 'refunds_ledger_list'],
  nullable: ['refunds.claim_expires_at', 'refunds.failure_reason'],
  keys: {
    refunds_payment_fkey:
      'refunds FOREIGN KEY (organization_id, mode, payment_id) REFERENCES payments(organization_id, mode, id)',
    refunds_pkey: 'refunds PRIMARY KEY (organization_id, mode, id)',
  },
};
