import { Organization } from '../../../src/modules/access/domain/organization.js';
import { exampleId } from '../../../src/request/schema.js';
import { ORGANIZATION_ID } from '../../../src/shared/id.js';
import type { Examples } from '../operation-examples.js';

const { settings } = Organization.create('Acme', 0);
const TAKEN = Organization.restore(exampleId(ORGANIZATION_ID), 'merchant-4711', settings);
const CHANGED = {
  contact: 'help@acme.example',
  payment_url: { live: 'https://pay.example/{CHECKOUT_SESSION_ID}' },
};

export const EXAMPLES: Examples = {
  createOrganization: {
    body: { name: 'Acme', reference: 'merchant-4711' },
    refusals: [() => TAKEN.requireName('Another')],
  },
  changeOrganization: {
    body: CHANGED,
    answer: { ...CHANGED, payment_url: { test: null, ...CHANGED.payment_url } },
  },
  createApiKey: { body: { mode: 'test', holder: 'Web shop' }, answer: { origins: [] } },
};
