import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['sandbox_clocks'],
  otherTables: ['api_keys', 'organizations'],
  nullable: [
    'api_keys.expires_at',
    'api_keys.organization_id',
    'api_keys.revoked_at',
    'organizations.previous_webhook_secret',
    'organizations.previous_webhook_secret_expires_at',
  ],
  keys: {
    api_keys_digest_key: 'api_keys UNIQUE (digest)',
    api_keys_organization_fkey: 'api_keys FOREIGN KEY (organization_id) REFERENCES organizations(id)',
    api_keys_pkey: 'api_keys PRIMARY KEY (id)',
    organizations_pkey: 'organizations PRIMARY KEY (id)',
    sandbox_clocks_pkey: 'sandbox_clocks PRIMARY KEY (organization_id)',
  },
};
