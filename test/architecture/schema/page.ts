import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['checkout_pages', 'late_payments', 'payment_urls'],
  otherTables: ['page_secrets'],
  indexesAcrossTenants: ['late_payments_due'],
  nullable: ['checkout_pages.payment_url', 'checkout_pages.started_at'],
  narrow: { 'page_secrets.id': 'always 1, by a check' },
  keys: {
    checkout_pages_pkey: 'checkout_pages PRIMARY KEY (organization_id, mode, session_id)',
    checkout_pages_session_fkey:
      'checkout_pages FOREIGN KEY (organization_id, mode, session_id) REFERENCES checkout_sessions(organization_id, mode, id)',
    late_payments_pkey: 'late_payments PRIMARY KEY (organization_id, mode, session_id)',
    late_payments_session_fkey:
      'late_payments FOREIGN KEY (organization_id, mode, session_id) REFERENCES checkout_sessions(organization_id, mode, id)',
    page_secrets_pkey: 'page_secrets PRIMARY KEY (id)',
    payment_urls_organization_fkey: 'payment_urls FOREIGN KEY (organization_id) REFERENCES organizations(id)',
    payment_urls_pkey: 'payment_urls PRIMARY KEY (organization_id, mode)',
  },
};
