/** The check of each exchange in the HTTP tests finds these faults. */

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { EVENT_ID } from '../../src/modules/events/domain/event.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { REFUND_ID } from '../../src/modules/refunds/domain/refund-state.js';
import { exampleId } from '../../src/request/schema.js';
import { Description, type Exchange } from '../support/description.js';

const description = new Description(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));

const REFUND = {
  id: exampleId(REFUND_ID),
  object: 'refund',
  amount: 500,
  currency: 'usd',
  status: 'pending',
  payment: exampleId(PAYMENT_ID),
  created: 1_763_700_000,
};
const NOT_FOUND = {
  request_id: 'req_1',
  error: {
    type: 'invalid_request',
    message: 'No such resource.',
    param: 'id',
    errors: [{ param: 'id', code: 'invalid_value', message: 'No such resource.', allowed: [] }],
    next_step: { type: 'list_resources', path: '/v1/refunds', method: 'GET' },
    code: 'not_found',
  },
};
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req_1' };
const withCode = (code: string) => ({ ...NOT_FOUND, error: { ...NOT_FOUND.error, code } });

const READ: Exchange = {
  method: 'GET',
  url: `http://localhost/v1/refunds/${REFUND.id}`,
  requestHeaders: new Headers({ authorization: 'Bearer sk' }),
  requestBody: undefined,
  status: 200,
  headers: new Headers(HEADERS),
  text: JSON.stringify(REFUND),
};
const PROPOSE: Exchange = {
  ...READ,
  method: 'POST',
  url: 'http://localhost/v1/refunds',
  requestHeaders: new Headers({ authorization: 'Bearer sk', 'idempotency-key': 'one' }),
  requestBody: { payment: REFUND.payment, amount: 500 },
  status: 201,
  headers: new Headers({ ...HEADERS, location: `/v1/refunds/${REFUND.id}` }),
};
const LIST: Exchange = {
  ...READ,
  url: 'http://localhost/v1/refunds?limit=7',
  text: JSON.stringify({
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: null,
    items: [],
    nextCursor: null,
  }),
};
const answered = (value: unknown, status = 200): Exchange => ({
  ...READ,
  status,
  text: JSON.stringify(value),
});

const { created, ...incomplete } = REFUND;

test.each<[string, Exchange, string]>([
  [
    'a list that is an object',
    { ...LIST, text: JSON.stringify({ ...JSON.parse(LIST.text), data: {} }) },
    '/v1/refunds 200/data: must be array, and is object',
  ],
  [
    'a field that is not described',
    answered({ ...REFUND, reason: 'x' }),
    '200: must NOT have unevaluated properties (reason)',
  ],
  [
    'a missing field',
    answered(incomplete),
    "GET /v1/refunds/{id} 200: must have required property 'created'",
  ],
  ['a status that is not described', answered(REFUND, 202), '/{id}: status 202 is not described'],
  [
    'a missing header',
    { ...PROPOSE, headers: new Headers(HEADERS) },
    '201: the header Location is missing',
  ],
  [
    'a code of another operation',
    answered(withCode('session_not_open'), 404),
    '404/error/code: must be equal to one',
  ],
  [
    'a route that is not described',
    { ...READ, url: 'http://localhost/v1/balance' },
    'is not described, and was answered 200',
  ],
  ['a missing key', { ...READ, requestHeaders: new Headers() }, 'accepted, but no key was sent'],
  [
    'a missing idempotency key',
    { ...PROPOSE, requestHeaders: READ.requestHeaders },
    'the header parameter Idempotency-Key is missing',
  ],
  [
    'a wrong body',
    { ...PROPOSE, requestBody: { ...(PROPOSE.requestBody as object), amount: 0 } },
    'accepted, but the body/amount: must be >= 1',
  ],
  [
    'an unknown parameter',
    { ...LIST, url: 'http://localhost/v1/refunds?more=1' },
    'the query parameter more is not described',
  ],
  [
    'a fault of the service at a wrong request',
    { ...PROPOSE, requestBody: {}, status: 500, text: JSON.stringify(withCode('internal_error')) },
    "instead of saying that the body: must have required property 'amount'",
  ],
])('the check of exchanges notices %s', (_, exchange, fault) => {
  expect(description.faultsOf(exchange)).toContainEqual(expect.stringContaining(fault));
});

const SIGNED = {
  'webhook-id': 'evt',
  'webhook-timestamp': '1763700000',
  'webhook-signature': 'v1,x',
};
const EVENT = {
  id: exampleId(EVENT_ID),
  object: 'event',
  type: 'refund.created',
  mode: 'test',
  created: 1_763_700_000,
  sequence: 1,
  data: { object: REFUND, reason: null },
};
const { sequence, ...unnumbered } = EVENT;
const { 'webhook-signature': signature, ...unsigned } = SIGNED;

test.each<[string, Record<string, string>, object, string[]]>([
  ['an event', SIGNED, EVENT, []],
  ['an unsigned one', unsigned, EVENT, ['the header webhook-signature is missing']],
  ['a missing field', SIGNED, unnumbered, ["must have required property 'sequence'"]],
  [
    'a field nobody described',
    SIGNED,
    { ...EVENT, attempt: sequence },
    ['must NOT have unevaluated properties'],
  ],
  [
    'an event of another type',
    SIGNED,
    { ...EVENT, type: 'checkout.session.created' },
    ['/data/object: must have'],
  ],
  [
    'a type that is not described',
    SIGNED,
    { ...EVENT, type: 'refund.lost' },
    ['the webhook refund.lost is not described'],
  ],
])('the check of webhooks notices %s', (_, headers, event, expected) => {
  const faults = description.faultsOfWebhook(headers, JSON.stringify(event));
  if (expected.length === 0) expect(faults).toEqual([]);
  for (const fault of expected) expect(faults).toContainEqual(expect.stringContaining(fault));
});
