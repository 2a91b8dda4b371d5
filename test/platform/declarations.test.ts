/** The service does not start if two modules declare the same fact. */
import { expect, test } from '@jest/globals';
import { declarationsOf } from '../../src/app.module.js';
import { Declarations } from '../../src/platform/module-declaration.js';
import type { ErrorCode } from '../../src/shared/errors.js';
import { idKind } from '../../src/shared/id.js';

const CODE: ErrorCode = { code: 'out_of_stock', kind: 'state', meaning: 'Nothing is left.' };
const CS = idKind('cs', { hasMode: true });
const RE = idKind('re', { hasMode: true });
const RESOURCE = {
  id: CS,
  schema: 'Session',
  secret: { path: '/v1/sessions' },
  events: { 'a.b': 'B.' },
} as const;

const email = () => null;

test.each([
  ['error code out_of_stock', { errors: [CODE] }],
  ['identifier cs', { resources: [{ id: CS, schema: 'Other' }] }],
  [
    'path /v1/sessions',
    { resources: [{ id: RE, schema: 'Other', ledger: { path: '/v1/sessions' } }] },
  ],
  ['event type a.b', { resources: [{ id: RE, schema: 'Other', events: { 'a.b': 'B.' } }] }],
  ['personal data session.email', { personalData: [{ object: 'session', members: { email } }] }],
] as const)('the %s may be declared once only', (what, second) => {
  const personalData = [{ object: 'session', members: { email } }];
  const first = { errors: [CODE], resources: [RESOURCE], personalData };
  expect(() => new Declarations([first, second])).toThrow(`Two modules declare the ${what}.`);
});

test('a resource is found by an ID of it', () => {
  const declarations = new Declarations([{ resources: [RESOURCE] }]);
  expect(declarations.resourceOf('cs_test_01kaf3v7q4e8yt5w6z9x2c1b0n')).toBe(RESOURCE);
  expect(declarations.resourceOf('re_test_01kaf3v7q4e8yt5w6z9x2c1b0n')).toBeUndefined();
});

test('each resource with events names its table, where a ledger finds the owner of a resource', () => {
  const tables = declarationsOf().resourcesWithEvents.map(({ schema, table }) => [schema, table]);
  expect(Object.fromEntries(tables)).toEqual({
    CheckoutSession: 'checkout_sessions',
    Payment: 'payments',
    Refund: 'refunds',
    WebhookEndpoint: 'webhook_endpoints',
  });
});
