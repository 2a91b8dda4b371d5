import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { get, type Reply } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';
import { createPaidSession, createSession, letTimeRunOut, settleExpired } from '../support/sessions.js';

const ANY_ID = 'cs_test_01jd0000000000000000000000';
const STATUSES = ['open', 'complete', 'expired'];

const clock = new TestClock(Date.parse('2026-01-01T00:00:00Z'));
let service: Service;

beforeAll(async () => {
  service = await startService({ clock });
});

afterAll(() => service.close());

const list = (key: string, query = ''): Promise<Reply> => get(`${service.url}/v1/checkout_sessions${query}`, { key });
const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);

async function createMany(key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.unshift(await createSession(service, key));
  return ids;
}

/** First, while the clock stands at the beginning of the year. */
describe('by creation time', () => {
  const INSTANTS = ['2026-01-01T00:00:00Z', '2026-01-01T12:00:00.500Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];
  let tenant: Tenant;

  beforeAll(async () => {
    tenant = await createTenant(service);
    for (const [at, instant] of INSTANTS.entries()) {
      clock.advanceTo(instant);
      await createSession(service, tenant.test, { metadata: { at: String(at) } });
    }
  });

  test.each([
    ['from=2026-01-01', [3, 2, 1, 0]],
    ['from=2026-01-02', [3, 2]],
    ['to=2026-01-02', [1, 0]],
    ['from=2026-01-01&to=2026-01-01', []],
    ['from=2026-01-02&to=2026-01-03', [2]],
    ['from=1767225600&to=1767225601', [0]],
    ['from=1767225601', [3, 2, 1]],
    ['from=2026-01-01T12:00:00.500Z', [3, 2, 1]],
    ['from=2026-01-01T12:00:00.501Z', [3, 2]],
    ['to=2026-01-01t12:00:00.500z', [0]],
    ['to=2026-01-01T12:00:00.501Z', [1, 0]],
    ['from=2026-01-02T01:00:00%2B01:00', [3, 2]],
    ['from=2026-01-02T01:00:01%2B01:00', [3]],
    ['to=2026-01-01T19:00:00-05:00', [1, 0]],
    ['from=0&to=253402300799', [3, 2, 1, 0]],
    ['from=2026-01-01&limit=2', [3, 2]],
  ])('%s', async (query, expected) => {
    const all = idsOf(await list(tenant.test));
    // `all` is newest first; the table counts from the oldest.
    expect(idsOf(await list(tenant.test, `?${query}`))).toEqual(expected.map((at) => all[all.length - 1 - at]));
  });

  test('from after to is refused', async () => {
    expectInvalid(await list(tenant.test, '?from=2026-01-02&to=2026-01-01T23:59:59Z'), ['from', 'too_large']);
  });

  test.each([
    ...['', 'today', '2026-1-1', '2026-02-30', '2026-13-01', '2026-01-01T10:00', '2026-01-01T10:00:00'],
    ...['2026-01-01T24:00:00Z', '2026-01-01T10:60:00Z', '1.5', '-1', '1e9', '0x10', '253402300800', '%00', '%zz'],
  ])('%j is not an instant', async (text) => {
    expectInvalid(await list(tenant.test, `?from=${text}`), ['from', 'invalid_format']);
    expectInvalid(await list(tenant.test, `?to=${text}`), ['to', 'invalid_format']);
  });
});

describe('a page', () => {
  let tenant: Tenant;
  let ids: string[];

  beforeAll(async () => {
    clock.advance(Math.max(0, Date.now() - clock.now()));
    tenant = await createTenant(service);
    ids = await createMany(tenant.test, 27);
  });

  test('is empty for an organization without sessions', async () => {
    const { status, body } = await list(tenant.live);
    const empty = { object: 'list', data: [], has_more: false, next_cursor: null, items: [], nextCursor: null };
    expect({ status, body }).toEqual({ status: 200, body: empty });
  });

  test('is the documented envelope, newest first', async () => {
    const { body } = await list(tenant.test, '?limit=2');
    const created_at = Math.floor(clock.now() / 1000);
    const data = ids.slice(0, 2).map((id) => {
      const state = { status: 'open', payment_status: 'unpaid' };
      return { id, mode: 'test', ...state, currency: 'usd', amount_total: 1000, created_at };
    });
    const cursor = ids[1];
    const page = { object: 'list', data, has_more: true, next_cursor: cursor, items: data, nextCursor: cursor };
    expect(body).toEqual(page);
    expect(JSON.stringify(body)).toBe(JSON.stringify(page));
  });

  test.each([
    ['', 25, true],
    ['?limit=1', 1, true],
    ['?limit=26', 26, true],
    ['?limit=27', 27, false],
    ['?limit=100', 27, false],
  ])('%s has as many items as the limit', async (query, count, hasMore) => {
    const reply = await list(tenant.test, query);
    expect(idsOf(reply)).toEqual(ids.slice(0, count));
    expect(reply.body.has_more).toBe(hasMore);
    expect(reply.body.next_cursor).toBe(hasMore ? ids[count - 1] : null);
  });

  test('the last page after a cursor has no next', async () => {
    const reply = await list(tenant.test, `?limit=2&cursor=${ids[24]}`);
    expect(idsOf(reply)).toEqual(ids.slice(25));
    expect(reply.body).toMatchObject({ has_more: false, next_cursor: null, nextCursor: null });
  });

  test("a cursor is not looked up: the ID of another organization's session is a position too", async () => {
    const other = await createTenant(service);
    const foreign = await createSession(service, other.test);
    expect(idsOf(await list(tenant.test, `?limit=3&cursor=${foreign}`))).toEqual(ids.slice(0, 3));
    expect(idsOf(await list(tenant.test, `?cursor=${ANY_ID}`))).toEqual([]);
    const sameOfLive = ids[2]?.replace('cs_test_', 'cs_live_');
    expect(idsOf(await list(tenant.test, `?limit=2&cursor=${sameOfLive}`))).toEqual(ids.slice(3, 5));
  });
});

describe('by status', () => {
  test('an overdue session is expired in every filter, swept or not', async () => {
    const tenant = await createTenant(service);
    const settled = await createSession(service, tenant.test);
    const open = await createSession(service, tenant.test);
    const complete = await createPaidSession(service, tenant);
    const overdue = await createSession(service, tenant.test);
    for (const id of [settled, complete, overdue]) await letTimeRunOut(service, id);
    await settleExpired(service, settled);
    const reply = await list(tenant.test);
    expect(reply.body.data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [overdue, 'expired'],
      [complete, 'complete'],
      [open, 'open'],
      [settled, 'expired'],
    ]);
    expect(idsOf(await list(tenant.test, '?status=open'))).toEqual([open]);
    expect(idsOf(await list(tenant.test, '?status=complete'))).toEqual([complete]);
    expect(idsOf(await list(tenant.test, '?status=expired'))).toEqual([overdue, settled]);
    const first = await list(tenant.test, '?status=expired&limit=1');
    expect(first.body).toMatchObject({ has_more: true, next_cursor: overdue });
    expect(idsOf(await list(tenant.test, `?status=expired&limit=1&cursor=${overdue}`))).toEqual([settled]);
  });
});

describe('refused', () => {
  let key: string;

  beforeAll(async () => {
    key = (await createTenant(service)).test;
  });

  const rows: [query: string, param: string, code: string, allowed?: readonly string[]][] = [
    ...['0', '-1'].map((text): [string, string, string] => [`limit=${text}`, 'limit', 'too_small']),
    ...['101', '1000000'].map((text): [string, string, string] => [`limit=${text}`, 'limit', 'too_large']),
    ...['', 'x', '1.5', '1e1', '0x5', '%205', '5%20', 'NaN', '%00', '%D9%A3'].map((text): [string, string, string] => [
      `limit=${text}`,
      'limit',
      'invalid_type',
    ]),
    ...['', 'Open', 'canceled', '%00'].map((text): [string, string, string, string[]] => [
      `status=${text}`,
      'status',
      'invalid_value',
      STATUSES,
    ]),
    ['color=red', 'color', 'unknown_field'],
    ['Limit=1', 'Limit', 'unknown_field'],
    ['limit[]=1', 'limit[]', 'unknown_field'],
    ['__proto__=1', '__proto__', 'unknown_field'],
    ['constructor=1', 'constructor', 'unknown_field'],
    ['toString=1', 'toString', 'unknown_field'],
    ['limit=1&limit=1', 'limit', 'duplicate'],
    ['status=open&status=expired', 'status', 'duplicate'],
  ];

  test.each(rows)('?%s', async (query, param, code, ...[allowed]) => {
    expectInvalid(await list(key, `?${query}`), [param, code, allowed ?? []]);
  });

  test.each(['', 'x', 're_test_01jd0000000000000000000000', `${ANY_ID}0`, `${ANY_ID}%00`])(
    'cursor %j: start again with the other parameters',
    async (cursor) => {
      const reply = await list(key, `?limit=5&cursor=${cursor}&status=open`);
      const path = '/v1/checkout_sessions?limit=5&status=open';
      const errors = [['cursor', 'invalid_format']] as const;
      const nextStep = { type: 'restart_list', path, method: 'GET' };
      expectError(reply, { status: 400, code: 'invalid_param', errors, nextStep });
      expect((await list(key, path.slice(path.indexOf('?')))).status).toBe(200);
    },
  );

  test('all faults at once', async () => {
    const reply = await list(key, '?limit=0&status=x&from=x&color=red');
    const found = reply.body.error.errors.map(({ param }: { param: string }) => param);
    expect(found.sort()).toEqual(['color', 'from', 'limit', 'status']);
  });
});
