import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['refunds'],
  indexesAcrossTenants: ['refunds_claim_turns', 'refunds_ledger_all', 'refunds_ledger_list', 'refunds_ledger_payment'],
  nullable: [
    'refunds.claim_expires_at',
    'refunds.description',
    'refunds.failure_reason',
    'refunds.provider_reference',
    'refunds.reference',
  ],
  keys: {
    refunds_payment_fkey:
      'refunds FOREIGN KEY (organization_id, mode, payment_id) REFERENCES payments(organization_id, mode, id)',
    refunds_pkey: 'refunds PRIMARY KEY (organization_id, mode, id)',
  },
  partialKeys: { refunds_reference_key: '(organization_id, mode, reference) WHERE (reference IS NOT NULL)' },
};
