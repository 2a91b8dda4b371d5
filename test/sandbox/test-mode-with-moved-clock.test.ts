/** Sessions, lists and keys of test mode live at the time of its moved clock. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import type { Service } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { get, type Reply, SMALLEST } from '../support/client.js';
import { visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { useReceiver } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';
import { committed } from '../support/units.js';

const CLOCK = '/v1/test_helpers/clock';
const HOUR = 3600;
const DAY = 24 * HOUR;

const config = { webhookAllowPrivate: true, publicUrl: 'https://pay.example' };
const service = useService({ config });
/** This is another process on the same database. */
const other = useOther(service, { config });
const shop = useShop(service);
const receiver = useReceiver();

afterEach(() => expectBalanced(service));

const seconds = () => Math.floor(Date.now() / 1000);
const advance = (by: number, at: Shop = shop) => at.post(CLOCK, { advance_seconds: by });
const notified = () => ({ ...SMALLEST, notify_url: receiver.url });

/** Expects that every time from the work lies between the moved clock before it and after it. */
async function expectNow(work: () => Promise<number | number[]>, ahead: number): Promise<void> {
  const before = seconds();
  for (const shown of [await work()].flat()) {
    expect(shown).toBeGreaterThanOrEqual(before + ahead);
    expect(shown).toBeLessThanOrEqual(seconds() + ahead);
  }
}

describe('test mode with a moved clock', () => {
  test('expires a session, with its event and its webhook', async () => {
    const session = (await shop.createSession(notified())).body;
    await until(() => receiver.received.length === 1);
    await advance(DAY);
    const expired = { ...session, status: 'expired' };
    expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body).toEqual(expired);
    const [, event] = await shop.eventsOf(session.id);
    expect([event.type, event.data.object]).toEqual(['checkout.session.expired', expired]);
    expect(event.created).toBeGreaterThanOrEqual(session.expires_at);
    expect(receiver.received.map(({ id }) => id)).toContain(event.id);
    const listed = (status: string) => shop.idsOf(`/v1/checkout_sessions?status=${status}`);
    expect([await listed('open'), await listed('expired')]).toEqual([[], [session.id]]);
    const paid = await shop.record({ amount: 1000, checkout_session: session.id });
    expect(paid.body.error.code).toBe('session_not_open');
  });

  test('keeps a session open to its last second and no longer, before any sweeper runs', async () => {
    await advance(DAY);
    const session = (
      await shop.createSession({ ...SMALLEST, expires_at: seconds() + DAY + 3 * HOUR })
    ).body;
    expect(session.expires_at - session.created_at).toBeGreaterThan(2.9 * HOUR);
    await shop.post(CLOCK, { to: session.expires_at - 60 });
    expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body).toEqual(session);
    expect((await shop.get('/v1/checkout_sessions?status=open')).body.data).toHaveLength(1);
    await shop.post(CLOCK, { to: session.expires_at });
    expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body.status).toBe('expired');
    const real = { ...SMALLEST, expires_at: seconds() + HOUR };
    expect((await shop.createSession(real)).body.error.errors).toMatchObject([
      { param: 'expires_at', code: 'too_small' },
    ]);
  });

  test("takes a payment until a session's end, and then expires the session by itself", async () => {
    const [one, paid] = [
      (await shop.createSession(notified())).body,
      (await shop.createSession({ ...SMALLEST, expires_at: seconds() + DAY + 50 })).body,
    ];
    await shop.post(CLOCK, { to: one.expires_at - 2 });
    // The paid session ends 50 seconds later, because a busy machine may need more than two.
    const { mismatch } = (await shop.post(`/v1/test_helpers/checkout_sessions/${paid.id}/pay`))
      .body;
    expect(mismatch).toBeNull();
    await until(async () => (await shop.eventsOf(one.id)).length === 2, 'the sweeper has been by');
    expect((await shop.get(`/v1/checkout_sessions/${one.id}`)).body.status).toBe('expired');
  });

  test('lists the newest sessions first, between two times of the clock', async () => {
    const made = [(await shop.createSession()).body];
    for (let day = 1; day <= 2; day++) {
      await advance(DAY);
      made.push((await shop.createSession()).body);
    }
    const [first, second, third] = made.map(({ created_at: at }) => at);
    const newest = made.map(({ id }) => id).reverse();
    const listed = (query: string) => shop.idsOf(`/v1/checkout_sessions?${query}`);
    expect(await listed(`from=${second}`)).toEqual(newest.slice(0, 2));
    expect(await listed(`to=${third}`)).toEqual(newest.slice(1));
    expect(await listed(`from=${second}&to=${third}`)).toEqual(newest.slice(1, 2));
    expect(await listed(`to=${third}&cursor=${newest[1]}`)).toEqual(newest.slice(2));
    expect(await listed(`from=${first}&to=${third}&status=expired`)).toEqual(newest.slice(1));
    expect(await listed(`from=${third}&to=${third + 1}&status=open`)).toEqual(newest.slice(0, 1));
    expect(await listed(`from=${third + 1}&to=${third + 2}`)).toEqual([]);
  });

  test('lists payments, refunds and events between two times of the clock', async () => {
    const made: Reply['body'][] = [];
    for (let day = 0; day < 3; day++) {
      if (day > 0) await advance(DAY);
      const payment = (await shop.record()).body.id;
      const refund = (await shop.propose(payment, 1)).body;
      made.push({ payment, refund: refund.id, at: refund.created });
    }
    const [first, second, third] = made;
    const listed = (path: string) =>
      shop.idsOf(`/v1/${path}from=${second.at - HOUR}&to=${third.at - HOUR}`);
    expect(await listed('payments?')).toEqual([second.payment]);
    for (const query of [
      '',
      `payment=${second.payment}&`,
      `payment=${second.payment}&status=pending&`,
    ])
      expect(await listed(`refunds?${query}`)).toEqual([second.refund]);
    expect(await listed(`refunds?payment=${first.payment}&`)).toEqual([]);
    const [proposed] = await shop.eventsOf(second.refund);
    for (const query of [
      'type=refund.created&',
      `object=${second.refund}&`,
      'type=refund.created&order=asc&',
    ])
      expect(await listed(`events?${query}`)).toEqual([proposed.id]);
    expect(await listed('events?order=asc&')).toHaveLength(2);
  });

  test('refuses a key that has ended', async () => {
    const key = await createKey(service, {
      organization: shop.organization,
      expiresAt: Date.now() + DAY * 1000,
    });
    const ask = (at: Service) => get(`${at.url}/v1/refunds`, { key });
    expect([(await ask(service)).status, (await ask(other)).status]).toEqual([200, 200]);
    await advance(DAY);
    expect([(await ask(service)).status, (await ask(other)).status]).toEqual([401, 401]);
  });

  test("makes, replaces and revokes a key at the clock's time", async () => {
    await advance(30 * DAY);
    const keys = service.application.get(ManageApiKeys);
    const life = { lifetime: 20 * DAY * 1000 };
    const { organization } = shop;
    const made = await committed(service, (unit) =>
      keys.create(unit, { kind: 'secret', mode: 'test', organization, ...life }),
    );
    const rotated = await committed(service, (unit) =>
      keys.rotate(unit, made.key.state.id, { overlap: 7 * DAY * 1000, ...life }),
    );
    const statuses = () => {
      return Promise.all(
        [made.token, rotated.token].map(
          async (key) => (await get(service.url + CLOCK, { key })).status,
        ),
      );
    };
    expect(await statuses()).toEqual([200, 200]);
    await advance(7 * DAY);
    expect(await statuses()).toEqual([401, 200]);
    await advance(13 * DAY);
    expect(await statuses()).toEqual([401, 401]);
    await expectNow(async () => {
      const revoked = await committed(service, (unit) => keys.revoke(unit, rotated.key.state.id));
      return Math.floor((revoked.state.revokedAt ?? 0) / 1000);
    }, 50 * DAY);
  });

  test('lets an origin show the page as long as its key works', async () => {
    const session = (await shop.createSession({ ...SMALLEST, ui_mode: 'embedded' })).body;
    const { body: page } = await shop.get(`/v1/checkout_sessions/${session.id}/page`);
    const allowedOrigins = ['https://shop.example'];
    await createKey(service, {
      organization: shop.organization,
      allowedOrigins,
      expiresAt: Date.now() + HOUR * 1000,
    });
    const framers = async () => {
      const { headers } = await visit(service.url + new URL(page.embed_url).pathname);
      return headers.get('content-security-policy')?.split('; ').at(-1);
    };
    expect(await framers()).toBe('frame-ancestors https://shop.example');
    await advance(HOUR);
    expect(await framers()).toBe("frame-ancestors 'none'");
  });
});
