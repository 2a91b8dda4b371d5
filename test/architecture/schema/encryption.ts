import type { Schema } from '../../support/schema.js';

export const SCHEMA: Schema = {
  otherTables: ['encryption_keys'],
  narrow: { 'encryption_keys.id': 'keys that operators make' },
  keys: {
    encryption_keys_pkey: 'encryption_keys PRIMARY KEY (id)',
  },
};
