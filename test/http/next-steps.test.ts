/** Each kind of error response is provoked, its `next_step` is sent as it is, and leads to what it promises. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Reply, type Sent, SMALLEST, send } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { Holder } from '../support/holder.js';
import { type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';
const REFUNDS = '/v1/refunds';
const PAYMENTS = '/ledger/v1/payments';
const EVIL = { origin: 'https://evil.example' };
const AS_SERVER = { headers: {} };
/** More than any case here needs in the second that its clock shows. */
const REQUESTS_A_SECOND = 20;

const clock = new TestClock();
let service: Service;
let shop: Shop;
let holder: Holder;
let payment: string;

beforeAll(async () => {
  service = await startService({ clock, config: { rateLimitRps: REQUESTS_A_SECOND } });
  shop = await Shop.open(service);
  holder = await Holder.connect(service.databaseUrl);
});
beforeEach(async () => {
  clock.advance(1000);
  payment = (await shop.record()).body.id;
});
afterAll(async () => {
  await holder.end();
  await service.close();
});

interface Call extends Sent {
  readonly method: string;
  readonly path: string;
}

const call = ({ method, path, ...sent }: Call): Promise<Reply> => send(method, service.url + path, sent);
const keyFor = (path: string): string => (path.startsWith('/ledger/') ? shop.ledgerKey : shop.key);
const ofShop = (path: string): string => `${path}?organization=${shop.organization}`;

function reading(path: string, sent: Sent = {}): Call {
  return { method: 'GET', path, key: keyFor(path), ...sent };
}

function posting(path: string, body?: unknown, sent: Sent = {}): Call {
  return { method: 'POST', path, key: keyFor(path), body, idempotencyKey: randomUUID(), ...sent };
}

type Provoke = () => Call | Promise<Call>;
/** What the answer says to change about the request, and what has to happen before it is sent. */
type Change = (errors: Reply['body']['error']['errors']) => Sent | Promise<Sent>;
type Case = [code: string, type: string, provoke: Provoke, promised: object, change?: Change];

const LIST = { object: 'list' };
const OPEN = { object: 'checkout.session', status: 'open' };
const EXPIRED = { object: 'checkout.session', status: 'expired' };
const PENDING = { object: 'refund', status: 'pending' };
const SUCCEEDED = { object: 'refund', status: 'succeeded' };

const MISSING: readonly Provoke[] = [
  () => reading('/v1/nothing'),
  () => reading('/ledger/v1/nothing'),
  () => reading(`${SESSIONS}/${unknownId('cs_test')}`),
  () => posting(`${SESSIONS}/${unknownId('cs_test')}/expire`),
  () => reading(`/v1/payments/${unknownId('pay_test')}`),
  () => reading(`/v1/events/${unknownId('evt')}`),
  () => reading(`${REFUNDS}/${unknownId('re_test')}`),
  () => posting(`${REFUNDS}/${unknownId('re_test')}/cancel`),
  () => posting(`/ledger${REFUNDS}/${unknownId('re_test')}/fail`),
  () => reading(ofShop(`${PAYMENTS}/${unknownId('pay_test')}`)),
  () => posting(PAYMENTS, { organization: unknownId('org'), amount: 1, currency: 'usd' }),
];

const CASES: readonly Case[] = [
  ...MISSING.map((provoke): Case => ['not_found', 'list_resources', provoke, LIST]),
  ['not_found', 'list_resources', unknownPayment, { data: [{ object: 'payment' }] }],
  [
    ...(['invalid_param', 'fix_request'] as const),
    () => posting(REFUNDS, { payment, amount: 0 }),
    PENDING,
    () => ({ body: { payment, amount: 1 } }),
  ],
  ['invalid_param', 'restart_list', () => reading(`${REFUNDS}?limit=7&cursor=malformed&status=pending`), LIST],
  [
    ...(['invalid_api_key', 'authenticate'] as const),
    () => reading(ofShop(`${PAYMENTS}/${payment}`), { key: shop.key }),
    { object: 'payment' },
    () => ({ key: shop.ledgerKey }),
  ],
  [
    'origin_not_allowed',
    'call_from_server',
    () => reading(`${SESSIONS}?limit=7`, { headers: EVIL }),
    LIST,
    () => AS_SERVER,
  ],
  ['origin_not_allowed', 'call_from_server', preflight, LIST, () => ({ ...AS_SERVER, key: shop.key })],
  ['method_not_allowed', 'use_method', () => ({ ...posting(SESSIONS, SMALLEST), method: 'PUT' }), OPEN],
  ['method_not_allowed', 'use_method', () => ({ method: 'DELETE', path: '/openapi.json' }), { webhooks: {} }],
  ['idempotency_key_in_use', 'retry', keyInUse, OPEN, release],
  [
    ...(['payload_too_large', 'fix_request'] as const),
    () => posting(SESSIONS, { ...SMALLEST, description: 'x'.repeat(256 * 1024) }),
    OPEN,
    () => ({ body: SMALLEST }),
  ],
  [
    ...(['unsupported_media_type', 'fix_request'] as const),
    () => posting(SESSIONS, SMALLEST, { headers: { 'content-type': 'text/plain' } }),
    OPEN,
    ([{ allowed }]) => ({ headers: { 'content-type': allowed[0] } }),
  ],
  ['idempotency_key_reused', 'use_new_idempotency_key', reusedKey, OPEN, () => ({ idempotencyKey: randomUUID() })],
  [
    ...(['refund_exceeds_remaining', 'lower_amount'] as const),
    () => posting(REFUNDS, { payment, amount: 5001 }),
    { ...PENDING, amount: 5000 },
    // The refusal was decided against state: it is kept under its key.
    ([{ allowed }]) => ({ body: { payment, amount: Number(allowed[0]) }, idempotencyKey: randomUUID() }),
  ],
  [
    ...(['hold_exceeds_remaining', 'lower_amount'] as const),
    async () => posting(`${PAYMENTS}/${payment}/holds`, { amount: 5001 }),
    { object: 'payment.hold', amount: 5000 },
    ([{ allowed }]) => ({ body: { amount: Number(allowed[0]) }, idempotencyKey: randomUUID() }),
  ],
  ['webhook_endpoint_limit', 'read_resource', seventeenthEndpoint, { object: 'webhook_endpoint' }],
  ['resend_limit', 'read_resource', eventSentOften, { object: 'event' }],
  ['payment_required', 'read_resource', async () => posting(`${SESSIONS}/${await openSession()}/complete`), OPEN],
  ['refund_in_progress', 'read_resource', async () => posting(`${REFUNDS}/${await claimed()}/cancel`), PENDING],
  ['refund_claimed', 'read_resource', async () => posting(`/ledger${REFUNDS}/${await claimed()}/fail`), PENDING],
  [
    'refund_not_succeeded',
    'read_resource',
    async () => posting(`/ledger${REFUNDS}/${await claimed()}/return`),
    PENDING,
  ],
  ['payment_not_refundable', 'read_resource', usedUpPayment, { object: 'payment', amount_refundable: 0 }],
  ['session_not_open', 'read_resource', async () => posting(`${SESSIONS}/${await expiredSession()}/expire`), EXPIRED],
  ['session_not_open', 'read_resource', async () => capturing(await expiredSession()), EXPIRED],
  ['refund_not_pending', 'read_resource', async () => posting(`${REFUNDS}/${await settled()}/cancel`), SUCCEEDED],
  ['refund_not_pending', 'read_resource', async () => posting(`/ledger${REFUNDS}/${await settled()}/fail`), SUCCEEDED],
  [
    ...(['payment_session_mismatch', 'read_resource'] as const),
    async () => capturing((await shop.createSession()).body.id),
    { ...OPEN, amount_total: 1000 },
  ],
  ['payment_reference_reused', 'read_resource', takenReference, { object: 'payment', amount: 5000 }],
  ['refund_reference_reused', 'read_resource', takenRefundReference, { object: 'refund', amount: 2 }],
  ['rate_limited', 'retry', tooManyRequests, LIST, nextSecond],
  ['internal_error', 'retry', brokenTable, LIST, mendTable],
  ['service_unavailable', 'retry', lockedTable, LIST, release],
];

async function unknownPayment(): Promise<Call> {
  const alone = await Shop.open(service);
  await alone.propose((await alone.record()).body.id, 1);
  return posting(REFUNDS, { payment: unknownId('pay_test'), amount: 1 }, { key: alone.key });
}

function preflight(): Call {
  return { method: 'OPTIONS', path: SESSIONS, headers: { ...EVIL, 'access-control-request-method': 'GET' } };
}

async function keyInUse(): Promise<Call> {
  const first = posting(SESSIONS, SMALLEST);
  await call(first);
  await holder.holdKey(first.idempotencyKey as string);
  return first;
}

async function reusedKey(): Promise<Call> {
  const first = posting(SESSIONS, SMALLEST);
  await call(first);
  return { ...first, body: { ...SMALLEST, ui_mode: 'embedded' } };
}

async function usedUpPayment(): Promise<Call> {
  await shop.propose(payment, 5000);
  return posting(REFUNDS, { payment, amount: 1 });
}

async function expiredSession(): Promise<string> {
  const { id } = (await shop.createSession()).body;
  await shop.expire(id);
  return id;
}

async function settled(): Promise<string> {
  const { id } = (await shop.propose(payment, 1)).body;
  await shop.succeed(id);
  return id;
}

function capturing(session: string): Call {
  const { organization } = shop;
  return posting(PAYMENTS, { organization, amount: 999, currency: 'usd', checkout_session: session });
}

async function takenReference(): Promise<Call> {
  const [{ organization }, reference] = [shop, randomUUID()];
  await shop.record({ reference });
  return posting(PAYMENTS, { organization, amount: 1, currency: 'usd', reference });
}

async function takenRefundReference(): Promise<Call> {
  const reference = randomUUID();
  await shop.post(REFUNDS, { payment, amount: 2, reference });
  return posting(REFUNDS, { payment, amount: 1, reference });
}

const openSession = async () => (await shop.createSession()).body.id as string;

async function claimed(): Promise<string> {
  const { id } = (await shop.propose(payment, 1)).body;
  await shop.claim({ limit: 100 });
  return id;
}

async function tooManyRequests(): Promise<Call> {
  for (let spent = 0; spent < REQUESTS_A_SECOND; spent++) await shop.get(SESSIONS);
  return reading(`${SESSIONS}?limit=7`);
}

function nextSecond(): Sent {
  clock.advance(1000);
  return {};
}

async function seventeenthEndpoint(): Promise<Call> {
  const request = () => posting('/v1/webhook_endpoints', { url: 'https://shop.example/webhooks' });
  for (let created = 0; created < 16; created++) await call(request());
  clock.advance(1000);
  return request();
}

async function eventSentOften(): Promise<Call> {
  await call(posting(SESSIONS, { ...SMALLEST, notify_url: 'https://shop.example/webhooks' }));
  const event = (await call(reading('/v1/events?limit=1'))).body.data[0].id;
  await service.sql.query('UPDATE webhook_deliveries SET attempts = 100');
  return posting(`/v1/events/${event}/resend`);
}

async function brokenTable(): Promise<Call> {
  await service.sql.query('ALTER TABLE events RENAME TO elsewhere');
  return reading('/v1/events?limit=7');
}

async function mendTable(): Promise<Sent> {
  await service.sql.query('ALTER TABLE elsewhere RENAME TO events');
  return {};
}

async function lockedTable(): Promise<Call> {
  await holder.holdTable('refunds');
  return reading(`${REFUNDS}?limit=7`);
}

async function release(): Promise<Sent> {
  await holder.release();
  return {};
}

test.each(CASES)('%s: %s (%#)', async (code, type, provoke, promised, change = () => ({})) => {
  const request = await provoke();
  const { error } = (await call(request)).body;
  const { method, path } = error.next_step;
  expect([error.code, error.next_step.type]).toEqual([code, type]);
  const changed = { ...request, ...(await change(error.errors)), method, path };
  const { status, body } = await call(method === 'GET' ? reading(path, { key: changed.key }) : changed);
  expect([200, 201]).toContain(status);
  expect(body).toMatchObject(promised);
});

test('these are all the codes and all the next steps that there are', () => {
  const { Error: envelope, NextStep } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')).components.schemas;
  const all = (of: 0 | 1) => [...new Set(CASES.map((one) => one[of]))].sort();
  expect(all(0)).toEqual([...envelope.properties.error.properties.code.enum].sort());
  expect(all(1)).toEqual([...NextStep.properties.type.enum].sort());
});
