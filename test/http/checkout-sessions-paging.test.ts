import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get } from '../support/client.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';
import { createSession, letTimeRunOut } from '../support/sessions.js';

const AT_START = 60;
const WRITERS = 3;

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

/** All pages, from the first to the last. */
async function readAll(limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `?limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { body } = await get(`${service.url}/v1/checkout_sessions${query}`, { key: tenant.test });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  return ids;
}

test('what was there at the start comes exactly once and in order, however much is written meanwhile', async () => {
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
