import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['payment_holds', 'payments'],
  indexesAcrossTenants: [
    'payment_holds_id',
    'payment_holds_ledger_payment',
    'payments_ledger_list',
    'payments_ledger_reference',
    'payments_ledger_session',
  ],
  nullable: [
    'payment_holds.reason',
    'payment_holds.reference',
    'payments.checkout_session_id',
    'payments.mismatch',
    'payments.notify_url',
    'payments.reference',
  ],
  keys: {
    payment_holds_payment_fkey:
      'payment_holds FOREIGN KEY (organization_id, mode, payment_id) REFERENCES payments(organization_id, mode, id)',
    payment_holds_pkey: 'payment_holds PRIMARY KEY (organization_id, mode, id)',
    payments_checkout_session_fkey:
      'payments FOREIGN KEY (organization_id, mode, checkout_session_id) REFERENCES checkout_sessions(organization_id, mode, id)',
    payments_pkey: 'payments PRIMARY KEY (organization_id, mode, id)',
  },
  partialKeys: {
    payments_checkout_session_key:
      '(organization_id, mode, checkout_session_id) WHERE ((checkout_session_id IS NOT NULL) AND (mismatch IS NULL))',
    payments_reference_key: '(organization_id, mode, reference) WHERE (reference IS NOT NULL)',
  },
};
