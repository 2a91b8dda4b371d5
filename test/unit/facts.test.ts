/** Two modules that declare the same fact keep the service from starting. */
import { beforeEach, expect, jest, test } from '@jest/globals';
import type { ErrorCode } from '../../src/shared/errors.js';
import { idKind } from '../../src/shared/id.js';

let declareFacts: typeof import('../../src/platform/facts.js').declareFacts;
let resourceOf: typeof import('../../src/platform/facts.js').resourceOf;

const CODE: ErrorCode = { code: 'out_of_stock', kind: 'state', meaning: 'Nothing is left.' };
const CS = idKind('cs', { hasMode: true });
const RE = idKind('re', { hasMode: true });
const RESOURCE = { id: CS, schema: 'Session', secret: { path: '/v1/sessions' }, events: { 'a.b': 'B.' } } as const;

beforeEach(async () => {
  jest.resetModules();
  ({ declareFacts, resourceOf } = await import('../../src/platform/facts.js'));
});

test.each([
  ['error code out_of_stock', { errors: [CODE] }],
  ['identifier cs', { resources: [{ id: CS, schema: 'Other' }] }],
  ['path /v1/sessions', { resources: [{ id: RE, schema: 'Other', ledger: { path: '/v1/sessions' } }] }],
  ['event type a.b', { resources: [{ id: RE, schema: 'Other', events: { 'a.b': 'B.' } }] }],
] as const)('the %s is declared once', (what, second) => {
  expect(() => declareFacts({ errors: [CODE], resources: [RESOURCE] }, second)).toThrow(
    `Two modules declare the ${what}.`,
  );
});

test('a resource is found by its identifier', () => {
  declareFacts({ resources: [RESOURCE] });
  expect(resourceOf('cs_test_01kaf3v7q4e8yt5w6z9x2c1b0n')).toBe(RESOURCE);
  expect(resourceOf('re_test_01kaf3v7q4e8yt5w6z9x2c1b0n')).toBeUndefined();
});
