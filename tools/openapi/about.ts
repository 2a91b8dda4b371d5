import { VERSION } from '../../src/platform/version.js';
import { KEY_PATTERN, MAX_ACTOR_LENGTH } from '../../src/request/request.js';
import type { Credential } from '../../src/request/route.js';

export const INFO = {
  title: 'Tillgate',
  version: VERSION,
  summary: 'Checkout sessions and refunds, in front of a ledger.',
  description: `A merchant's servers create checkout sessions and propose refunds under \`/v1\`; the component that owns payments
and the ledger records captures and decides refunds under \`/ledger/v1\`; a platform's own backend signs merchants up under
\`/operator/v1\`.

## First request

The server prints test keys when it starts for the first time. Create a session, and read the answer:

\`\`\`sh
curl http://127.0.0.1:3000/v1/checkout_sessions \\
  -u sk_test_…: \\
  -H 'Idempotency-Key: order-1001' \\
  -H 'Content-Type: application/json' \\
  -d '{ "currency": "usd", "line_items": [
    { "price_data": { "currency": "usd", "unit_amount": 1299,
      "product_data": { "name": "T-shirt" } } }] }'
\`\`\`

## Authentication

\`Authorization: Bearer <key>\`, or HTTP Basic with the key as the user name; the password is ignored. Secret keys (\`sk_test_…\`,
\`sk_live_…\`) open \`/v1\`, ledger keys (\`lk_test_…\`, \`lk_live_…\`) open \`/ledger/v1\`. The key sets the mode; in \`test\` mode
no money moves. Operator keys (\`ok_…\`), which have no mode, open \`/operator/v1\`, and never from a browser.

## Amounts and times

Amounts are integers in the minor unit of their currency. Timestamps are Unix seconds. A response always has all its fields;
a string without a value is \`null\`.

## Errors

All error responses have the same shape. \`errors\` names every invalid parameter and the permitted values. \`next_step\` is
the request to send next. For \`fix_request\`, \`lower_amount\` and \`authenticate\` it is the same request, which you correct before.

## Idempotency

Writes take an \`Idempotency-Key\`. Repeating a request with the same key returns the same response and writes nothing again.
After a 400, 401, 403, 409, 413, 415, 429 or 5xx you can use the key again.

## Lists

A list has \`data\`, \`has_more\` and \`next_cursor\`. For the next page, send the same request with \`cursor\` set to \`next_cursor\`, until it
is \`null\`. \`limit\` is 25 if you send none, and at most 100.

## Webhooks

Every change makes an event, which is sent to the webhook endpoints that subscribe to its type and to the \`notify_url\` of its
session, as a [Standard Webhook](https://www.standardwebhooks.com). Verify its signature: an endpoint has a \`whsec_…\` secret of its
own, which the response that creates it returns. For the \`notify_url\` it is the secret of your organization, which
\`tillgate org create\` and \`tillgate webhook secret rotate\` print. Any 2xx within 15 seconds is a success. A failed delivery is tried
again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h; a 410 ends it. An event can arrive more than once, with the same
\`webhook-id\`, and events can arrive in any order: \`sequence\` counts those of one object from 1. \`GET /v1/events\` has them all.

## Test data

Keys with \`_test_\` work on data of their own. \`/v1/test_helpers\` pays sessions and decides refunds in the place of customers and of
the ledger. For receivers on your machine, start the service with \`WEBHOOK_ALLOW_PRIVATE=true\`.

## Versions

Within \`/v1\` changes only add: new operations, new optional parameters, new fields in answers, and new values where a
field names a status, a type, a currency or an error code. Clients must ignore unknown fields and accept
unknown values. A change that breaks such a client gets a new version in the path.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

/** A relative URL, because each service serves the description of itself. */
export const SERVERS = [{ url: '/', description: 'The service that serves this description.' }];

export const SECURITY_SCHEMES = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A secret key, `sk_test_…` or `sk_live_…`; or a restricted key, `rk_test_…` or `rk_live_…`, as far as its rights go.',
  },
  secretKeyBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'A secret or restricted key as the user name; the password is ignored.',
  },
  ledgerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A ledger key, `lk_test_…` or `lk_live_…`.',
  },
  ledgerKeyBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'A ledger key as the user name; the password is ignored.',
  },
  operatorKey: { type: 'http', scheme: 'bearer', description: 'An operator key, `ok_…`.' },
  operatorKeyBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'An operator key as the user name; the password is ignored.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The token of `METRICS_TOKEN`.' },
} as const;

export const SECURITY: Readonly<Record<Credential, readonly Record<string, string[]>[]>> = {
  secret: [{ secretKey: [] }, { secretKeyBasic: [] }],
  sandbox: [{ secretKey: [] }, { secretKeyBasic: [] }],
  ledger: [{ ledgerKey: [] }, { ledgerKeyBasic: [] }],
  operator: [{ operatorKey: [] }, { operatorKeyBasic: [] }],
  metrics: [{}, { metricsToken: [] }],
  none: [],
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, pattern: KEY_PATTERN, examples: ['order-4711'] },
};
const IDEMPOTENCY =
  'Your own key, 1 to 255 visible ASCII characters. Repeating the request with the same key returns the same response.';

export const PARAMETERS = {
  Actor: {
    name: 'Tillgate-Actor',
    in: 'header',
    description:
      'The person behind the key, for those who read who proposed or decided: 1 to 100 visible characters in UTF-8, with spaces only inside. Tillgate does not check it.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_ACTOR_LENGTH,
      examples: ['José'],
    },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your own ID of the request, used if it has 1 to 128 characters of `A-Za-z0-9._-`.',
    schema: { type: 'string' },
  },
  IdempotencyKey: { ...IDEMPOTENCY_KEY, required: true, description: IDEMPOTENCY },
  OptionalIdempotencyKey: {
    ...IDEMPOTENCY_KEY,
    description: `${IDEMPOTENCY} Optional. Send one if repeating the request would do more, such as rotating a secret twice.`,
  },
} as const;

export const HEADERS = {
  RequestId: {
    description: 'ID of the request, for support and logs.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'Path of the created resource.',
    required: true,
    schema: { type: 'string', pattern: '^/' },
  },
  Link: {
    description:
      'URL of the page of the session, while the session is open: `<url>; rel="payment"`.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="payment"$' },
  },
  RetryAfter: {
    description: 'Seconds to wait before repeating the request.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 86_400 },
  },
  WwwAuthenticate: {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` if this is the stored response to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
} as const;
