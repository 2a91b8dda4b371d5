import { beforeAll, describe, expect, test } from '@jest/globals';
import { get, type Reply } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { createTenant, type Tenant } from '../support/service.js';
import { createPaidSession, createSession, letTimeRunOut, settleExpired } from '../support/sessions.js';
import { useService } from '../support/setup.js';

const clock = new TestClock(Date.parse('2026-01-01T00:00:00Z'));
const service = useService({ clock });

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
});

describe('a page', () => {
  let tenant: Tenant;
  let ids: string[];

  beforeAll(async () => {
    clock.advance(Math.max(0, Date.now() - clock.now()));
    tenant = await createTenant(service);
    ids = await createMany(tenant.test, 27);
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
