import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  tenantTables: ['sandbox_clocks'],
  keys: {
    sandbox_clocks_pkey: 'sandbox_clocks PRIMARY KEY (organization_id)',
  },
};
