import { beforeAll, expect, test } from '@jest/globals';
import { get } from '../support/client.js';
import { createTenant, type Tenant } from '../support/service.js';
import { createPaidSession, createSession, letTimeRunOut, settleExpired } from '../support/sessions.js';
import { useService } from '../support/setup.js';

const AT_START = 60;
const WRITERS = 3;

const service = useService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(service);
});

/** All pages, from the first to the last. */
async function readAll(limit: number, { key = tenant.test, filter = '' } = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `?limit=${limit}${filter}${cursor && `&cursor=${cursor}`}`;
    const { body } = await get(`${service.url}/v1/checkout_sessions${query}`, { key });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  return ids;
}

test('sessions that exist at the start come exactly once and in order while others are created', async () => {
  const atStart: string[] = [];
  while (atStart.length < AT_START) {
    // In bursts, so that many share a millisecond.
    atStart.push(...(await Promise.all(Array.from({ length: 20 }, () => createSession(service, tenant.test)))));
  }
  let isReading = true;
  let written = 0;
  const write = async (writer: number) => {
    for (let at = writer; isReading; at += WRITERS) {
      await createSession(service, tenant.test);
      await letTimeRunOut(service, atStart[at % AT_START] as string);
      written++;
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  for (const limit of [1, 7, 100]) {
    const ids = await readAll(limit);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(ids.filter((id) => atStart.includes(id)).sort()).toEqual([...atStart].sort());
  }
  isReading = false;
  await Promise.all(writers);
  expect(written).toBeGreaterThan(WRITERS);
});

test('every filter can be paged, with swept and overdue sessions mixed', async () => {
  const shop = await createTenant(service);
  const made = { open: [] as string[], complete: [] as string[], expired: [] as string[] };
  for (let round = 0; round < 3; round++) {
    made.open.unshift(await createSession(service, shop.test));
    made.complete.unshift(await createPaidSession(service, shop));
    for (const isSettled of [true, false]) {
      const id = await createSession(service, shop.test);
      await letTimeRunOut(service, id);
      if (isSettled) await settleExpired(service, id);
      made.expired.unshift(id);
    }
  }
  for (const limit of [1, 2, 6]) {
    for (const [status, ids] of Object.entries(made)) {
      expect(await readAll(limit, { key: shop.test, filter: `&status=${status}` })).toEqual(ids);
    }
  }
});
