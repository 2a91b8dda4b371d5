/** Each request has a line in the log under its request ID, and the log never contains a secret. */
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { type Service, startService } from '../kit/service.js';
import { get, post, SMALLEST } from '../support/client.js';
import { PLANT, plantedSession } from '../support/planted.js';
import { until } from '../support/processes.js';
import { head, sendBytes } from '../support/raw.js';
import { Shop } from '../support/shop.js';
import { createKey, createLedgerKey, createTenant, type Tenant } from '../support/tenants.js';
import { committed } from '../support/units.js';

const STRANGERS = { kind: 'secret', mode: 'test', organization: 'org_x' } as const;
const UNKNOWN = ApiKey.create(STRANGERS, { now: Date.now(), ahead: 0 }).token;

let service: Service;
let tenant: Tenant;
let lines: Record<string, unknown>[];

async function start(config: { logRequests?: string; logLevel?: string } = {}): Promise<void> {
  lines = [];
  const log = pino(
    { level: config.logLevel ?? 'info' },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  service = await startService({ log, config });
  tenant = await createTenant(service);
}

afterEach(() => service.close());

/**
 * The line is written after the answer has been sent, so a reader of the answer may have to wait
 * for it.
 */
async function lineOf(id: string | null): Promise<Record<string, unknown> | undefined> {
  const find = () => lines.find((line) => line.request_id === id);
  await until(() => find() !== undefined, 'a line in the log');
  return find();
}

const line = { level: 30, time: expect.any(Number), msg: 'request', ms: expect.any(Number) };

const create = (headers: Record<string, string> = {}) =>
  post(`${service.url}/v1/checkout_sessions`, {
    key: tenant.test,
    body: { ...SMALLEST, customer_email: 'ada@shop.example' },
    headers,
  });

test('a request, its replay, a refusal, an unknown key and an unknown path have one line each', async () => {
  await start();
  const facts = {
    organization: tenant.organization,
    key: tenant.test.slice(0, 12),
    holder: expect.stringMatching(/^key_/),
  };
  const createFacts = {
    method: 'POST',
    route: '/v1/checkout_sessions',
    operation: 'createCheckoutSession',
    ...facts,
  };
  const headers = { 'idempotency-key': 'order-1' };
  const [first, again] = [await create(headers), await create(headers)];
  expect(await lineOf(first.headers.get('request-id'))).toMatchObject({
    ...line,
    ...createFacts,
    status: 201,
  });
  expect(await lineOf(again.headers.get('request-id'))).toMatchObject({
    ...createFacts,
    status: 201,
    replayed: true,
  });

  const refused = await get(`${service.url}/v1/refunds/re_test_01jd0000000000000000000000`, {
    key: tenant.test,
  });
  expect(await lineOf(refused.body.request_id)).toMatchObject({
    ...line,
    ...facts,
    method: 'GET',
    route: '/v1/refunds/:id',
    status: 404,
    error_code: 'not_found',
  });
  const stranger = await get(`${service.url}/v1/refunds`, { key: 'sk_test_nobody' });
  const strange = await lineOf(stranger.body.request_id);
  expect(strange).toMatchObject({
    operation: 'listRefunds',
    status: 401,
    error_code: 'invalid_api_key',
  });
  const nowhere = await fetch(`${service.url}/no/such/path`);
  expect(await lineOf(nowhere.headers.get('request-id'))).toMatchObject({
    status: 404,
    error_code: 'not_found',
  });

  const log = JSON.stringify(lines);
  for (const secret of [tenant.test, 'sk_test_nobody', 'ada@shop.example', 'order-1', '/no/such']) {
    expect(log).not.toContain(secret);
  }
});

test('the line of a refused key shows the beginning of the key, and why it was refused', async () => {
  await start();
  const manage = service.application.get(ManageApiKeys);
  const expired = await createKey(service, { ...tenant, expiresAt: Date.now() + 60_000 });
  await service.sql.query(`UPDATE api_keys SET expires_at = now() WHERE expires_at IS NOT NULL`);
  const revoked = await createKey(service, tenant);
  const { items } = await manage.list(tenant.organization);
  await committed(service, (unit) => manage.revoke(unit, items[0]?.state.id as string));
  const ledger = await createLedgerKey(service);
  const refused: [key: string | undefined, shown: string | undefined, fault: string][] = [
    [undefined, undefined, 'missing'],
    ['secret', undefined, 'malformed'],
    ['sk_live_x0y1secret', 'sk_live_x0y1', 'malformed'],
    [UNKNOWN, UNKNOWN.slice(0, 12), 'unknown'],
    [expired, expired.slice(0, 12), 'expired'],
    [revoked, revoked.slice(0, 12), 'revoked'],
    [ledger, ledger.slice(0, 12), 'other surface'],
  ];
  for (const [key, shown, fault] of refused) {
    const { body } = await get(`${service.url}/v1/refunds`, { key });
    const { key: logged, key_fault, status } = (await lineOf(body.request_id)) ?? {};
    expect([logged, key_fault, status]).toEqual([shown, fault, 401]);
  }
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test.each([
  [
    'an expectation that is not met',
    head('GET /v1/refunds HTTP/1.1', 'Host: x', 'Expect: 200-ok'),
    'invalid_param',
  ],
  ['a tunnel', head('CONNECT localhost:5432 HTTP/1.1', 'Host: x'), 'not_found'],
  ['bytes that are not HTTP', 'GET\r\n\r\n', 'invalid_param'],
])('a connection with %s has a line too', async (_, sent, code) => {
  await start();
  const { status, body } = await sendBytes(service.url, sent);
  const { request_id, error } = body;
  expect(error.code).toBe(code);
  expect(await lineOf(request_id)).toMatchObject({
    level: 30,
    msg: 'request',
    status,
    error_code: code,
  });
});

test('LOG_REQUESTS=errors leaves out requests that succeeded', async () => {
  await start({ logRequests: 'errors' });
  const made = await create();
  const refused = await get(`${service.url}/v1/refunds?limit=0`, { key: tenant.test });
  expect(await lineOf(refused.body.request_id)).toMatchObject({
    status: 400,
    error_code: 'invalid_param',
  });
  expect(lines.filter(({ request_id }) => request_id === made.headers.get('request-id'))).toEqual(
    [],
  );
});

/** The name of this statement contains the name of the rows that a create inserts. */
const CREATE = /\bnew_session\b/;

test('LOG_LEVEL=debug adds a line with the name of each statement', async () => {
  await start({ logLevel: 'debug' });
  await create();
  const named = {
    statement: expect.stringMatching(CREATE),
    runs: 1,
    ms: expect.any(Number),
  };
  await until(() => lines.some(({ statement }) => CREATE.test(String(statement))), 'a statement');
  expect(lines).toContainEqual(expect.objectContaining(named));
});

test('no line contains personal data of a customer, whatever the level', async () => {
  await start({ logLevel: 'trace' });
  const shop = await Shop.open(service);
  const session = plantedSession('https://shop.example');
  const { body } = await shop.post('/v1/checkout_sessions', session);
  await shop.post('/v1/checkout_sessions', {
    ...session,
    customer_email: `${PLANT}@@`,
    [PLANT]: PLANT,
  });
  await shop.get(`/v1/checkout_sessions?reference=${PLANT}`);
  await shop.get(`/v1/checkout_sessions?${PLANT}=1`);
  const payment = await shop.capture({ checkout_session: body.id });
  const refund = await shop.post('/v1/refunds', { payment, amount: 100, description: PLANT });
  await shop.ledgerPost(`/ledger/v1/refunds/${refund.body.id}/fail`, { reason: PLANT });
  await shop.post(`/v1/checkout_sessions/${body.id}/redact`);
  const { headers } = await shop.get(`/v1/checkout_sessions/${body.id}`);
  await lineOf(headers.get('request-id'));
  expect(lines.length).toBeGreaterThanOrEqual(9);
  expect(lines.filter((each) => JSON.stringify(each).includes(PLANT))).toEqual([]);
});
