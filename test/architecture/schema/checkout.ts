import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['checkout_sessions'],
  indexesAcrossTenants: ['checkout_sessions_open_expiry'],
  nullable: [
    'checkout_sessions.cancel_url',
    'checkout_sessions.customer_email',
    'checkout_sessions.description',
    'checkout_sessions.locale',
    'checkout_sessions.notify_url',
    'checkout_sessions.return_url',
    'checkout_sessions.success_url',
  ],
  keys: {
    checkout_sessions_pkey: 'checkout_sessions PRIMARY KEY (organization_id, mode, id)',
  },
};
