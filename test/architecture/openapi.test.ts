/** docs/openapi.json breaks no client of the released description. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { breakingChanges } from '../support/compatibility.js';

// biome-ignore lint/suspicious/noExplicitAny: the changes reach into a document by name.
type Node = any;

const COMMITTED: Node = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const RELEASED: Node = JSON.parse(readFileSync('docs/openapi.released.json', 'utf8'));

test('the description breaks nothing that was released', () => {
  expect(breakingChanges(RELEASED, COMMITTED)).toEqual([]);
});

test('the released description is the one of the newest release', () => {
  const [, newest] = /^## \[([\d.]+)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  expect(RELEASED.info.version).toBe(newest);
});

test('every number is an integer that has 64 bits, or a maximum that fits in 32 bits', () => {
  const numbers = numbersOf(COMMITTED, '#');
  const isWide = ({ type, format }: Node) => isOf(type, 'integer') && format === 'int64';
  const isNarrow = ({ type, maximum }: Node) => isOf(type, 'integer') && maximum <= 2 ** 31 - 1;
  const faults = numbers.filter(([, schema]) => !isWide(schema) && !isNarrow(schema));
  expect(faults).toEqual([]);
  expect(numbers.length).toBeGreaterThan(100);
});

/** Amounts may be 999,999,999,999. Times in Unix seconds pass 32 bits in 2038. */
test('every amount and time has 64 bits, also where it may be null', () => {
  const isAmountOrTime = /^(amount|unit_(amount|price)|created|now|until|to$)|_at$/;
  const named = numbersOf(COMMITTED, '#').filter(([path]) =>
    isAmountOrTime.test(path.split('/').at(-1) ?? ''),
  );
  expect(named.filter(([, { format }]) => format !== 'int64')).toEqual([]);
  const found = new Set(named.map(([path]) => path.split('/').at(-1)));
  for (const name of [
    'amount_total',
    'unit_amount',
    'unit_price',
    'created',
    'revoked_at',
    'until',
  ])
    expect([name, found.has(name)]).toEqual([name, true]);
});

test('a change takes null only where null clears something', () => {
  const changes = Object.entries<Node>(COMMITTED.components.schemas).filter(([name]) =>
    name.startsWith('Change'),
  );
  const cleared = changes.map(([name, { properties }]) => {
    const fields = Object.keys(properties);
    return [name, fields.filter((field) => [properties[field].type].flat().includes('null'))];
  });
  expect(Object.fromEntries(cleared)).toEqual({
    ChangeOrganizationRequest: ['contact', 'terms_url', 'privacy_url', 'details_retention_days'],
    ChangeWebhookEndpointRequest: ['description'],
  });
});

/** Returns every schema of a number, with its place in the document. */
function numbersOf(node: Node, path: string): [path: string, schema: Node][] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.entries(node).flatMap(([name, child]) =>
    numbersOf(child, `${path}/${name}`),
  );
  const isNumber = isOf(node.type, 'integer') || isOf(node.type, 'number');
  return isNumber ? [[path, node], ...inside] : inside;
}

const isOf = (type: Node, name: string): boolean => [type].flat().includes(name);

const object = (document: Node): Node => document.components.parameters.QueryObject.schema;
const create = (document: Node): Node => document.paths['/v1/checkout_sessions'].post;
const schema = (document: Node, name: string): Node => document.components.schemas[name];
const body = (document: Node): Node => schema(document, 'CreateCheckoutSessionRequest');
const limit = (document: Node): Node => document.components.parameters.QueryLimit;

const CREATE = 'POST /v1/checkout_sessions';
const BODY = `${CREATE} body`;
const READ = 'GET /v1/refunds/{id}';
const BREAKING: readonly [string, (document: Node) => unknown, string][] = [
  ['an operation removed', (it) => delete it.paths['/v1/refunds/{id}'].get, `${READ}: removed`],
  ['a path removed', (it) => delete it.paths['/v1/refunds/{id}'], `${READ}: removed`],
  [
    'an operation renamed',
    (it) => (create(it).operationId = 'make'),
    `${CREATE}: another operationId`,
  ],
  [
    'a way to authenticate removed',
    (it) => create(it).security.pop(),
    `${CREATE}: no secretKeyBasic any more`,
  ],
  [
    'an open operation gated',
    (it) => (it.paths['/livez'].get.security = [{ secretKey: [] }]),
    'GET /livez: needs a key',
  ],
  ['a success status removed', (it) => delete create(it).responses[201], `${CREATE} 201: removed`],
  ['an error status removed', (it) => delete create(it).responses[409], `${CREATE} 409: removed`],
  [
    'an answer header dropped',
    (it) => delete create(it).responses[201].headers.Location,
    `${CREATE} 201 Location: not always there`,
  ],
  [
    'a field of an answer removed',
    (it) => delete schema(it, 'Refund').properties.payment,
    `${READ} 200.payment: removed`,
  ],
  [
    'a field no longer always there',
    (it) => schema(it, 'Refund').required.pop(),
    `${READ} 200.created: not always there`,
  ],
  [
    'another type in an answer',
    (it) => (schema(it, 'Refund').properties.amount.type = 'string'),
    `${READ} 200.amount: another type`,
  ],
  [
    'fewer bits in an answer',
    (it) => delete schema(it, 'Refund').properties.amount.format,
    `${READ} 200.amount: fewer bits`,
  ],
  [
    'fewer bits to send',
    (it) => delete schema(it, 'PriceData').properties.unit_amount.format,
    `${BODY}.line_items[].price_data.unit_amount: fewer bits`,
  ],
  [
    'null where there was none',
    (it) => (schema(it, 'Refund').properties.payment.type = ['string', 'null']),
    `${READ} 200.payment: another type`,
  ],
  [
    'another constant',
    (it) => (schema(it, 'Refund').properties.object.const = 'reversal'),
    `${READ} 200.object: another value`,
  ],
  [
    'another media type',
    (it) => (create(it).responses[201].content = {}),
    `${CREATE} 201: no application/json any more`,
  ],
  [
    'a new required field',
    (it) => body(it).required.push('locale'),
    `${BODY}.locale: newly required`,
  ],
  ['a field no longer taken', (it) => delete body(it).properties.locale, `${BODY}.locale: removed`],
  [
    'a lower maximum',
    (it) => (body(it).properties.amount.maximum = 1),
    `${BODY}.amount: narrower maximum`,
  ],
  [
    'a higher minimum',
    (it) => (body(it).properties.amount.minimum = 1),
    `${BODY}.amount: narrower minimum`,
  ],
  [
    'a limit where there was none',
    (it) => (schema(it, 'PriceData').properties.currency.maxLength = 3),
    `${BODY}.line_items[].price_data.currency: narrower maxLength`,
  ],
  [
    'a value no longer taken',
    (it) => body(it).properties.ui_mode.enum.pop(),
    `${BODY}.ui_mode: fewer values`,
  ],
  [
    'another pattern',
    (it) => (body(it).properties.currency.pattern = '^[a-z]{3}$'),
    `${BODY}.currency: another pattern`,
  ],
  [
    'a kind of identifier no longer taken',
    (it) => (object(it).pattern = object(it).pattern.split('|^re_')[0]),
    'GET /v1/events query object: another pattern',
  ],
  [
    'null no longer taken',
    (it) => (body(it).properties.locale.type = 'string'),
    `${BODY}.locale: another type`,
  ],
  [
    'another default',
    (it) => (limit(it).schema.default = 10),
    'GET /v1/refunds query limit: another default',
  ],
  [
    'a parameter removed',
    (it) => it.paths['/v1/refunds'].get.parameters.shift(),
    'GET /v1/refunds query payment: removed',
  ],
  [
    'a parameter newly required',
    (it) => (limit(it).required = true),
    'GET /v1/refunds query limit: newly required',
  ],
  [
    'a header newly required',
    (it) => (it.components.parameters.RequestId.required = true),
    'POST /v1/refunds header X-Request-Id: newly required',
  ],
  [
    'a body newly required',
    (it) => (it.paths['/v1/refunds/{id}/cancel'].post.requestBody.required = true),
    'POST /v1/refunds/{id}/cancel body: newly required',
  ],
  [
    'a webhook removed',
    (it) => delete it.webhooks['refund.failed'],
    'webhook refund.failed: removed',
  ],
  [
    'a field of a webhook removed',
    (it) => delete schema(it, 'Event').properties.sequence,
    'webhook refund.failed.sequence: removed',
  ],
];

test.each(BREAKING)('%s breaks clients', (_, change, expected) => {
  const next = structuredClone(RELEASED);
  change(next);
  expect(breakingChanges(RELEASED, next)).toContain(expected);
});

const HARMLESS: readonly [string, (document: Node) => unknown][] = [
  ['a new operation', (it) => (it.paths['/v1/balances'] = { get: create(it) })],
  ['a new optional field', (it) => (body(it).properties.color = { type: 'string' })],
  [
    'a new field in an answer',
    (it) => (schema(it, 'Refund').properties.reason = { type: 'string' }),
  ],
  [
    'a new value in an answer',
    (it) => schema(it, 'Refund').properties.status.enum.push('disputed'),
  ],
  [
    'a new error code',
    (it) => schema(it, 'Error').properties.error.properties.code.enum.push('out_of_tea'),
  ],
  ['a new kind of identifier to send', (it) => (object(it).pattern += '|^dp_[0-9a-z]{26}$')],
  ['a new value to send', (it) => body(it).properties.ui_mode.enum.push('custom')],
  ['a wider limit', (it) => (body(it).properties.line_items.maxItems = 200)],
  [
    'a new optional parameter',
    (it) => it.paths['/v1/refunds'].get.parameters.push({ name: 'color', in: 'query', schema: {} }),
  ],
  ['a new status', (it) => (create(it).responses[418] = create(it).responses[400])],
  ['other words', (it) => (body(it).properties.locale.description = 'Another one.')],
  ['a new webhook', (it) => (it.webhooks['refund.disputed'] = it.webhooks['refund.failed'])],
];

test.each(HARMLESS)('%s breaks no client', (_, change) => {
  const next = structuredClone(RELEASED);
  change(next);
  expect(next).not.toEqual(RELEASED);
  expect(breakingChanges(RELEASED, next)).toEqual([]);
});
