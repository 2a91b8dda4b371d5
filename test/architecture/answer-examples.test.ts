/** The example of each response and webhook fits its schema and shows the result of its operation. */
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DOCUMENT } from '../support/document.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name; what is not there is undefined.
type Node = any;

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(DOCUMENT, 'openapi');

interface Answer {
  readonly named: string;
  readonly at: readonly string[];
  readonly example: Node;
}

const operations: readonly Node[] = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries<Node>(methods).map(([method, operation]) => ({ path, method, operation })),
);
const ANSWERS: readonly Answer[] = [
  ...operations.flatMap(({ path, method, operation: { operationId, responses } }) =>
    Object.entries<Node>(responses)
      .filter(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
      .map(([status, { content }]) => ({
        named: operationId,
        at: ['paths', path, method, 'responses', status, 'content', 'application/json'],
        example: content['application/json'].examples?.typical.value,
      })),
  ),
  // What the ledger hears is shown with the event of the organization.
  ...Object.entries<Node>(DOCUMENT.webhooks)
    .filter(([type]) => !type.startsWith('ledger.'))
    .map(([type, { post }]) => ({
      named: type,
      at: ['webhooks', type, 'post', 'requestBody', 'content', 'application/json'],
      example: post.requestBody.content['application/json'].examples?.typical.value,
    })),
];

const pointer = (at: readonly string[]) =>
  at.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

test.each(ANSWERS)('$named has an example that its schema allows', ({ at, example }) => {
  const isAllowed = ajv.compile({ $ref: `openapi#/${pointer([...at, 'schema'])}` });
  expect([isAllowed(example), isAllowed.errors]).toEqual([true, null]);
});

/** The fields that an operation changes. Everything else is open, pending, active, or not held. */
const STATES: Readonly<Record<string, object>> = {
  createCheckoutSession: { status: 'open', payment_status: 'unpaid' },
  completeCheckoutSession: { status: 'complete', payment_status: 'no_payment_required', amount_total: 0 },
  expireCheckoutSession: { status: 'expired', payment_status: 'unpaid' },
  proposeRefund: { status: 'pending' },
  cancelRefund: { status: 'canceled' },
  succeedRefund: { status: 'succeeded', claim: null },
  failRefund: { status: 'failed', claim: null },
  returnRefund: { status: 'failed', claim: null },
  succeedTestRefund: { status: 'succeeded' },
  failTestRefund: { status: 'failed' },
  returnTestRefund: { status: 'failed' },
  claimRefunds: { data: [expect.objectContaining({ status: 'pending', claim: expect.anything() })] },
  extendClaim: { status: 'pending', claim: expect.anything() },
  releaseClaim: { status: 'pending', claim: null },
  placeHold: { status: 'active' },
  releaseHold: { status: 'released' },
  payTestCheckoutSession: { mismatch: null, checkout_session: expect.stringMatching(/^cs_test_/) },
  deleteWebhookEndpoint: { deleted: true },
  'checkout.session.created': { status: 'open', payment_status: 'unpaid' },
  'checkout.session.completed': { status: 'complete', payment_status: 'paid' },
  'checkout.session.expired': { status: 'expired', payment_status: 'unpaid' },
  'payment.created': { mismatch: null },
  'payment.unmatched': { mismatch: 'amount' },
  'payment.held': { amount_on_hold: 5000, amount_refundable: 0 },
  'payment.released': { amount_on_hold: 0, amount_refundable: 5000 },
  'refund.created': { status: 'pending' },
  'refund.succeeded': { status: 'succeeded' },
  'refund.failed': { status: 'failed' },
  'refund.canceled': { status: 'canceled' },
};

const exampleOf = (name: string): Node => ANSWERS.find(({ named }) => named === name)?.example;

test.each(Object.entries(STATES))('%s shows the result of the operation', (name, state) => {
  const example = exampleOf(name);
  expect(example.data?.object ?? example).toMatchObject(state);
});

test('the examples include every event and every status of a refund, a hold and a session', () => {
  const steps = ANSWERS.map(({ named }) => named).filter(
    (name) =>
      /^(complete|expire|cancel|succeed|fail|return|claim|extend|release|place)[A-Z]/.test(name) ||
      /^(?!.*webhook\.test)\w+\./.test(name),
  );
  expect(steps.filter((name) => !(name in STATES))).toEqual([]);
});

/** Everywhere in an example, by the name of a field. */
function sumsIn(value: Node): readonly [unknown, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(sumsIn);
  if (value.object === 'payment') {
    const { amount, amount_refunded, amount_pending_refund, amount_on_hold, amount_refundable } = value;
    return [...inside, [amount_refundable, amount - amount_refunded - amount_pending_refund - amount_on_hold]];
  }
  if (value.object !== 'checkout.session') return inside;
  const total = (name: string) => value.line_items.data.reduce((sum: number, line: Node) => sum + line[name], 0);
  const { amount, amount_total, amount_subtotal, amount_shipping } = value;
  return [
    ...inside,
    [amount, amount_total],
    [amount_total, total('amount_total') + amount_shipping],
    [amount_subtotal, total('amount_subtotal')],
    [value.expires_at > value.created_at, true],
  ];
}

test('the amounts of every example add up', () => {
  const sums = ANSWERS.flatMap(({ example }) => sumsIn(example));
  expect(sums.length).toBeGreaterThan(30);
  expect(sums.filter(([shown, counted]) => shown !== counted)).toEqual([]);
});
