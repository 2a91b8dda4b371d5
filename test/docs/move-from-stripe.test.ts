/**
 * The page for those who come from Stripe's Checkout names what docs/openapi.json describes. Names
 * of Stripe alone are in the first column, and in NOT_HERE where the last column mentions them.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
type Node = any;

interface Row {
  readonly section: string;
  readonly stripe: string;
  readonly tillgate: string;
  readonly differs: string;
}

const PAGE = 'docs/guides/move-from-stripe-checkout.md';
const description: Node = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const { schemas, parameters } = description.components;
const operations: readonly Node[] = Object.values<Node>(description.paths).flatMap((methods) =>
  Object.values<Node>(methods),
);

/** The last column says that Tillgate has none of these. */
const NOT_HERE = [
  'livemode',
  'custom',
  'price',
  'customer',
  'ending_before',
  'requires_action',
  'refund.updated',
];
/** These are keys and placeholders, whose form the description tells in prose. */
const IN_PROSE = ['sk_test_…', 'lk_…', 'ok_…', '{CHECKOUT_SESSION_ID}'];

/** Each section names fields and values of these schemas. */
const SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  Requests: ['CheckoutSession', 'CheckoutSessionList', 'ProposeRefundRequest'],
  'The session': ['CreateCheckoutSessionRequest', 'CheckoutSession', 'Refund'],
  Refunds: ['ProposeRefundRequest', 'Refund', 'Payment'],
  Webhooks: ['Event'],
};

const rows: readonly Row[] = readFileSync(PAGE, 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((text) => {
    const [section = '', ...lines] = text.split('\n');
    const cells = lines
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split('|').slice(1, 4));
    const [, , ...named] = cells;
    return named.map(([stripe = '', tillgate = '', differs = '']) => {
      return { section, stripe, tillgate, differs };
    });
  });

const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}`);

/** "The same" means the names of the first column. */
function namesOf({ stripe, tillgate, differs }: Row): string[] {
  const isSame = tillgate.trim().startsWith('the same');
  const names = namesIn(`${isSame ? stripe : ''} ${tillgate} ${differs}`);
  return names.filter((name) => !NOT_HERE.includes(name));
}

function isDescribed(name: string, section: string): boolean {
  if (IN_PROSE.includes(name)) return JSON.stringify(description).includes(name.replace('…', ''));
  const [, method = '', path = '', query] = /^(GET|POST) (\S+?)(\?.*)?$/.exec(name) ?? [];
  if (method !== '') return isOperation(method.toLowerCase(), path, query);
  return (
    name in description.webhooks ||
    isParameter(name) ||
    (SCHEMAS[section] ?? []).some((schema) => isNamedIn(schemas[schema], name))
  );
}

function isOperation(method: string, pattern: string, query: string | undefined): boolean {
  const end = pattern.replace('…', '');
  const found = Object.entries<Node>(description.paths).filter(([path, methods]) =>
    methods[method] && pattern.startsWith('…') ? path.endsWith(end) : path === end,
  );
  const name = query?.slice(1, -1);
  return found.some(
    ([, methods]) =>
      name === undefined ||
      methods[method].parameters.some((one: Node) => resolved(one).name === name),
  );
}

/** A parameter of a request, or a header of an answer. */
function isParameter(name: string): boolean {
  const all = [...Object.values<Node>(parameters), ...operations.flatMap((one) => one.parameters)];
  const responses = operations.flatMap((one) => Object.values<Node>(one.responses));
  const headers = responses.flatMap((one) => Object.keys(resolved(one).headers ?? {}));
  return all.some((one) => resolved(one).name === name) || headers.includes(name);
}

/** Finds a value of an enum, or a field by its path, which may begin inside a nested object. */
function isNamedIn(schema: Node, name: string): boolean {
  const node = resolved(schema);
  const [path = '', value] = name.split(': ');
  const steps = path.replaceAll('[]', '').split('.');
  const field = fieldAt(node, steps);
  if (field !== undefined) return value === undefined || valuesOf(field).includes(value);
  const fields = Object.values<Node>(node?.properties ?? {}).map(resolved);
  return fields.some((one) => valuesOf(one).includes(name) || isNamedIn(one.items ?? one, name));
}

/** Any name is in a map. */
function fieldAt(node: Node, [step = '', ...rest]: readonly string[]): Node {
  const field = resolved(node?.properties?.[step]);
  if (field === undefined || rest.length === 0) return field;
  return field.type === 'object' && field.additionalProperties
    ? field.additionalProperties
    : fieldAt(resolved(field.items ?? field), rest);
}

const valuesOf = ({ enum: listed = [], const: constant }: Node): unknown[] => [...listed, constant];

function resolved(node: Node): Node {
  if (typeof node?.$ref !== 'string') return node;
  const steps: string[] = node.$ref.slice(2).split('/');
  return resolved(steps.reduce((inside, step) => inside?.[step], description));
}
const NAMED = rows.flatMap((row) => namesOf(row).map((name) => [row.section, name] as const));

test.each(NAMED)('%s: the description has %s', (section, name) => {
  expect(isDescribed(name, section)).toBe(true);
});

test.each(NOT_HERE)('the description has no %s', (name) => {
  expect(Object.keys(SCHEMAS).filter((section) => isDescribed(name, section))).toEqual([]);
});

test.each([
  ['Requests', 'GET /v1/checkout_session/{id}'],
  ['Requests', 'POST /v1/checkout_sessions?reference='],
  ['Requests', 'Idempotent-Replay'],
  ['The session', 'amount_disccount'],
  ['The session', 'line_items[].price_data.name'],
  ['The session', 'refundable'],
  ['Refunds', 'suceeded'],
  ['Webhooks', 'refund.updated'],
])('%s: a name that is not described is found: %s', (section, name) => {
  expect(isDescribed(name, section)).toBe(false);
});
