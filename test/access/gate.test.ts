import { beforeAll, describe, expect, test } from '@jest/globals';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { type Service, startService } from '../kit/service.js';
import { useService } from '../kit/setup.js';
import { get, post, type Reply, send } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectError, expectUnauthorized } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';
import {
  createKey,
  createLedgerKey,
  createOperatorKey,
  createTenant,
  type Tenant,
} from '../support/tenants.js';
import { committed } from '../support/units.js';

const LIST = '/v1/checkout_sessions';
const ORGANIZATIONS = '/operator/v1/organizations';
const LEDGER_LIST = '/ledger/v1/refunds';
const SHOP = 'https://shop.example';
const EXPOSED = 'Request-Id, Location, Retry-After, Idempotent-Replayed';

const clock = new TestClock();
const service = useService({ clock });
let tenant: Tenant;
let browserKey: string;
let operatorKey: string;

beforeAll(async () => {
  tenant = await createTenant(service);
  operatorKey = await createOperatorKey(service);
  browserKey = await createKey(service, {
    organization: tenant.organization,
    allowedOrigins: [SHOP],
  });
});

const authorized = (authorization: string, { url } = service): Promise<Reply> =>
  get(url + LIST, { headers: { authorization } });
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

describe('authentication', () => {
  const FAULTS: [name: string, authorization: (token: string) => string][] = [
    ['no scheme', (token) => token],
    ['the scheme Token', (token) => `Token ${token}`],
    ['an empty header', () => ''],
    ['no token', () => 'Bearer'],
    ['a malformed token', () => 'Bearer garbage'],
    [
      'a wrong checksum',
      (token) => `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
    ],
    ['a key of the other mode', (token) => `Bearer ${token.replace('_test_', '_live_')}`],
    ['a key of the other kind', (token) => `Bearer ${token.replace('sk_', 'lk_')}`],
    ['a second token', (token) => `Bearer ${token} ${token}`],
    ['a comma after the token', (token) => `Bearer ${token},`],
    ['Basic without encoding', (token) => `Basic ${token}:`],
    ['Basic with the key as password', (token) => basic(`user:${token}`)],
  ];

  test.each(FAULTS)('refuses a request with %s', async (_, authorization) => {
    expectUnauthorized(await authorized(authorization(tenant.test)), LIST);
  });

  test('names the prefixes in the message, and does not say whether a key is unknown, revoked or expired', async () => {
    const other = await startService({ clock });
    const unknown = (await createTenant(other)).test;
    await other.close();
    const revoked = await createKey(service, tenant);
    await revokeKey(revoked);
    const expired = await createKey(service, { ...tenant, expiresAt: clock.now() + 1000 });
    clock.advance(1000);
    const ledger = await createLedgerKey(service);
    const inactive = 'The key that begins with sk_test_ is unknown, expired or revoked.';
    const none =
      'Authorization: Bearer <key> is needed, with a key that begins with sk_ on /v1, lk_ on /ledger/v1, or ok_ on /operator/v1.';
    const cases: [path: string, key: string | undefined, message: string][] = [
      ...[unknown, revoked, expired, 'sk_test_x'].map((key): [string, string, string] => [
        LIST,
        key,
        inactive,
      ]),
      [
        LIST,
        ledger,
        'The key begins with lk_test_, and this path takes keys that begin with sk_ or rk_.',
      ],
      [
        LEDGER_LIST,
        tenant.test,
        'The key begins with sk_test_, and this path takes keys that begin with lk_.',
      ],
      [LIST, 'secret', none],
      [LEDGER_LIST, undefined, none],
    ];
    for (const [path, key, message] of cases) {
      const reply = await get(service.url + path, { key });
      expectUnauthorized(reply, path);
      expect(reply.body.error).toMatchObject({ message, errors: [{ message }] });
    }
  });

  test.each<[string, (token: string) => string]>([
    ['Bearer', (token) => `Bearer ${token}`],
    ['bearer', (token) => `bearer ${token}`],
    ['Basic with a colon', (token) => basic(`${token}:`)],
    ['Basic with a password, which is ignored', (token) => basic(`${token}:pass:word`)],
    [
      'basic without a colon',
      (token) => basic(token).toLowerCase().slice(0, 5) + basic(token).slice(5),
    ],
  ])('lets a key in by %s', async (_, authorization) => {
    expect((await authorized(authorization(tenant.test))).status).toBe(200);
  });

  test('refuses two Authorization headers', async () => {
    const line = `Authorization: Bearer ${tenant.test}`;
    const request = (...lines: string[]) =>
      sendBytes(service.url, head(`GET ${LIST} HTTP/1.1`, 'Host: x', ...lines));
    expect((await request(line)).status).toBe(200);
    expectUnauthorized(await request(line, line), LIST);
    expectUnauthorized(await request(line, 'authorization: Bearer garbage'), LIST);
  });

  test('refuses a key from its expiry on', async () => {
    const expiresAt = Math.ceil(clock.now() / 1000) * 1000 + 1000;
    const key = await createKey(service, { ...tenant, expiresAt });
    expect((await authorized(`Bearer ${key}`)).status).toBe(200);
    clock.advance(expiresAt - clock.now() - 1);
    expect((await authorized(`Bearer ${key}`)).status).toBe(200);
    clock.advance(1);
    expectUnauthorized(await authorized(`Bearer ${key}`), LIST);
  });

  test('refuses a revoked key at once on this instance, and within five seconds on one whose clock was set back', async () => {
    const steppedClock = new TestClock();
    const elsewhere = await startService({ clock: steppedClock, databaseUrl: service.databaseUrl });
    const [key, operator] = [await createKey(service, tenant), await createOperatorKey(service)];
    const operate = ({ url }: Service) => get(`${url}${ORGANIZATIONS}?limit=1`, { key: operator });
    for (const instance of [service, elsewhere]) {
      const replies = [await authorized(`Bearer ${key}`, instance), await operate(instance)];
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    }
    await revokeKey(key);
    const keys = service.application.get(ManageApiKeys);
    const found = (await keys.list(null)).items.find(({ state }) =>
      operator.startsWith(state.display),
    );
    await committed(service, (unit) => keys.revoke(unit, found?.state.id as string));
    expectUnauthorized(await authorized(`Bearer ${key}`), LIST);
    steppedClock.setBack(3_600_000);
    steppedClock.advance(5_000);
    expectUnauthorized(await authorized(`Bearer ${key}`, elsewhere), LIST);
    expect((await operate(elsewhere)).status).toBe(401);
    await elsewhere.close();
  });

  async function revokeKey(token: string): Promise<void> {
    const [last] = (await service.application.get(ManageApiKeys).list(tenant.organization)).items;
    expect(token).toContain(last?.state.display);
    const revoked = await post(`${service.url}/operator/v1/api_keys/${last?.state.id}/revoke`, {
      key: operatorKey,
    });
    expect(revoked.status).toBe(200);
  }
});

describe('origin', () => {
  const from = (origin: string, key = browserKey): Promise<Reply> =>
    get(service.url + LIST, { key, headers: { origin } });

  test('lets the page of a listed origin read the response', async () => {
    const notFound = `${LIST}/cs_test_01jd0000000000000000000000`;
    const failed = await get(service.url + notFound, {
      key: browserKey,
      headers: { origin: SHOP },
    });
    for (const { headers } of [await from(SHOP), failed]) {
      expect(headers.get('access-control-allow-origin')).toBe(SHOP);
      expect(headers.get('access-control-expose-headers')).toBe(EXPOSED);
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
    expect(failed.status).toBe(404);
  });

  test.each([
    ...[
      'null',
      '*',
      'http://shop.example',
      'https://shop.example:8443',
      'https://SHOP.example',
      `${SHOP}/`,
      '',
    ],
    ...[
      'https://evil-shop.example',
      'https://shop.example.evil.example',
      `${SHOP}, https://evil.example`,
    ],
  ])('refuses the origin %j without CORS headers', async (origin) => {
    expectForbidden(await from(origin));
  });

  test('refuses every browser and lets servers in when a key has no origins', async () => {
    expectForbidden(await from(SHOP, tenant.test));
    expect((await get(service.url + LIST, { key: tenant.test })).status).toBe(200);
  });

  const preflight = (origin: string, path = LIST, method = 'POST'): Promise<Reply> =>
    send('OPTIONS', service.url + path, {
      headers: { origin, 'access-control-request-method': method },
    });

  test('answers a preflight for an origin that an active key lists', async () => {
    const { status, headers, text } = await preflight(SHOP);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(headers.get('access-control-allow-methods')?.split(', ')).toEqual(
      expect.arrayContaining(['GET', 'POST']),
    );
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key']) {
      expect(headers.get('access-control-allow-headers')).toContain(name);
    }
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.get('request-id')).toMatch(/^req_/);
  });

  test('refuses a preflight for another origin or for a path without a route', async () => {
    expectForbidden(await preflight('https://evil.example'), 'POST');
    expectForbidden(await preflight('null', LIST, 'STEAL'), 'POST');
    expectForbidden(await preflight(`https://${'x'.repeat(15_000)}.example`), 'POST');
    expect((await preflight(SHOP, '/v1/nothing')).status).toBe(404);
    expect((await send('OPTIONS', service.url + LIST)).status).toBe(405);
  });

  function expectForbidden(reply: Reply, method = 'GET'): void {
    const nextStep = { type: 'call_from_server', path: LIST, method };
    const errors = [['Origin', 'invalid_value']] as const;
    expectError(reply, { status: 403, code: 'origin_not_allowed', errors, nextStep });
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual(
      [],
    );
  }
});

test('limits the rate of each organization and mode, and of each operator key, and refills it', async () => {
  const limited = await startService({ clock, config: { rateLimitRps: 3 } });
  const one = await createTenant(limited);
  const another = await createTenant(limited);
  const second = await createKey(limited, one);
  const [operator, next] = [await createOperatorKey(limited), await createOperatorKey(limited)];
  const call = async (key: string) =>
    get(limited.url + (key.startsWith('ok_') ? ORGANIZATIONS : LIST), { key });
  for (const status of [200, 200, 200, 429]) expect((await call(operator)).status).toBe(status);
  for (const key of [one.test, second, one.test]) expect((await call(key)).status).toBe(200);
  for (const key of [one.test, second]) {
    const reply = await call(key);
    const nextStep = { type: 'retry', path: LIST, method: 'GET' };
    expectError(reply, { status: 429, code: 'rate_limited', nextStep });
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  for (const key of [one.live, another.test, next]) expect((await call(key)).status).toBe(200);
  clock.advance(1000);
  const statuses = [];
  for (let at = 0; at < 4; at++) statuses.push((await call(one.test)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  await limited.close();
});
