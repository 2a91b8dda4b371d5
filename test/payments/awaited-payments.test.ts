/** These sessions stay open while their money is on its way. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce as many, type Reply, untilDecided } from '../support/client.js';
import { expectError, expectInvalid, readResource } from '../support/envelope.js';
import { overtaken } from '../support/holder.js';
import { atOnce } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { owned, Shop } from '../support/shop.js';

const PATH = '/v1/checkout_sessions';
const HELPERS = '/v1/test_helpers';
const DAY = 86_400;
const AWAITING = 'checkout.session.awaiting_payment';
const COMPLETED = 'checkout.session.completed';
const EXPIRED = 'checkout.session.expired';

const config = { publicUrl: 'https://pay.example' };
const service = useService({ config });
const other = useOther(service, { config });
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const now = () => Math.floor(Date.now() / 1000);
const created = async (of: Shop = shop) => (await of.createSession()).body;
const read = async (id: string, of: Shop = shop) => (await of.get(`${PATH}/${id}`)).body;
const advance = (days: number, of: Shop = shop) =>
  of.post(`${HELPERS}/clock`, { advance_seconds: days * DAY });
const awaited = (id: string, until: unknown, more: object = {}, of: Shop = shop) =>
  of.bare(`/ledger${PATH}/${id}/await_payment`, { until, ...more });
const helped = (id: string, body: object, of: Shop = shop) =>
  of.bare(`${HELPERS}/checkout_sessions/${id}/await_payment`, body);
const pay = (id: string, more: object = {}, of: Shop = shop) =>
  of.record({ amount: 1000, checkout_session: id, ...more });
const told = async (id: string) =>
  (await shop.eventsOf(id)).map(({ type, sequence, data: { object, reason } }) => {
    return [type, sequence, object.status, object.expires_at, reason];
  });

describe('await_payment', () => {
  test('answers with the session, which stays open until then, and records an event', async () => {
    const session = await created();
    const { organization } = shop;
    const until = now() + 14 * DAY;
    const waiting = { ...session, expires_at: until };
    const first = await awaited(session.id, until, { reason: 'SEPA transfer', organization });
    expect([first.status, first.body]).toEqual([200, owned(organization, waiting)]);
    expect(Object.keys(first.body)).toEqual(Object.keys(owned(organization, session)));
    expect(await read(session.id)).toEqual(waiting);
    expect((await awaited(session.id, until)).body).toEqual(owned(organization, waiting));
    const moved = await helped(session.id, { until: until + DAY });
    expect([moved.status, moved.body]).toEqual([200, { ...waiting, expires_at: until + DAY }]);
    const back = await awaited(session.id, null);
    expect([back.status, back.body]).toEqual([200, owned(organization, session)]);
    expect((await helped(session.id, { until: null })).body).toEqual(session);
    const { id } = (await pay(session.id)).body;
    expect(await read(session.id)).toMatchObject({
      status: 'complete',
      expires_at: session.expires_at,
    });
    expect((await shop.get(`/v1/payments/${id}`)).body.mismatch).toBe(null);
    expect(await told(session.id)).toEqual([
      ['checkout.session.created', 1, 'open', session.expires_at, null],
      [AWAITING, 2, 'open', until, 'SEPA transfer'],
      [AWAITING, 3, 'open', until + DAY, null],
      [AWAITING, 4, 'open', session.expires_at, null],
      [COMPLETED, 5, 'complete', session.expires_at, null],
    ]);
  });

  test("gives back the rest of the session's time, and at least five minutes", async () => {
    const { id } = await created();
    expect((await awaited(id, now() + 10 * DAY)).status).toBe(200);
    await advance(3);
    const clock = now() + 3 * DAY;
    const { expires_at, status } = (await awaited(id, null)).body;
    expect([status, expires_at >= clock + 300, expires_at <= clock + 310]).toEqual([
      'open',
      true,
      true,
    ]);
  });

  test("refuses the past and more than 30 days ahead by the owner's clock, and says what is allowed", async () => {
    await advance(10);
    const session = await created();
    const at = now() + 10 * DAY;
    for (const [until, code, allowed] of [
      [at - 1, 'too_small', at + 300],
      [now(), 'too_small', at + 300],
      [at + 30 * DAY + 5, 'too_large', at + 30 * DAY],
    ] as const) {
      const { status, body } = await awaited(session.id, until);
      expect([status, body.error.errors]).toMatchObject([400, [{ param: 'until', code }]]);
      expect(Math.abs(Number(body.error.errors[0].allowed[0]) - allowed)).toBeLessThan(60);
    }
    expect([await read(session.id), (await told(session.id)).length]).toEqual([session, 1]);
    expect((await awaited(session.id, at + 30 * DAY)).status).toBe(200);
  });

  test('refuses wrong fields, and sessions that are not open', async () => {
    const { id } = await created();
    const until = now() + DAY;
    expectInvalid(await awaited(id, until, { reason: 'x'.repeat(501) }), ['reason', 'too_long']);
    expectInvalid(await helped(id, { until, organization: shop.organization }), [
      'organization',
      'unknown_field',
    ]);
    await shop.expire(id);
    const notOpen = {
      status: 422,
      code: 'session_not_open',
      errors: [['id', 'invalid_value']],
    } as const;
    expectError(await awaited(id, until), {
      ...notOpen,
      nextStep: readResource(`/ledger${PATH}/${id}`),
    });
    expectError(await helped(id, { until }), {
      ...notOpen,
      nextStep: readResource(`${PATH}/${id}`),
    });
    const paid = await created();
    await pay(paid.id);
    for (const time of [until, null]) expectError(await helped(paid.id, { until: time }), notOpen);
    const overdue = await created();
    await advance(1);
    expectError(await helped(overdue.id, { until: until + DAY }), notOpen);
  });

  test('takes the money on day 29, and records it as a mismatch on day 31', async () => {
    const [paid, late] = [await created(), await created()];
    const until = now() + 30 * DAY;
    for (const { id } of [paid, late]) expect((await awaited(id, until)).status).toBe(200);
    await advance(29);
    expect([(await read(paid.id)).status, (await read(late.id)).status]).toEqual(['open', 'open']);
    expect((await pay(paid.id)).body.mismatch).toBe(null);
    await advance(2);
    expect([(await read(paid.id)).status, (await read(late.id)).status]).toEqual([
      'complete',
      'expired',
    ]);
    expect((await pay(late.id, { on_mismatch: 'record' })).body.mismatch).toBe('session_expired');
    expect((await told(late.id)).at(-1)).toEqual([EXPIRED, 3, 'expired', until, null]);
  });

  test('lets a merchant expire the session, and records later money as a mismatch', async () => {
    const { id } = await created();
    await awaited(id, now() + DAY);
    expect((await shop.expire(id)).body.status).toBe('expired');
    expect((await pay(id, { on_mismatch: 'record' })).body.mismatch).toBe('session_expired');
  });
});

describe('a session that is awaited and changed at once', () => {
  test('is awaited several times in turn, each with an event', async () => {
    const { id } = await created();
    const base = now() + DAY;
    const answers = await many(20, (number) =>
      untilDecided(() => awaited(id, base + number, {}, number % 2 ? shop.at(other) : shop)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const events = (await told(id)).slice(1);
    expect(events.map(([, sequence]) => sequence)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 2),
    );
    expect(
      events.map(([, , , expires]) => Number(expires) - base).sort((one, next) => one - next),
    ).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect((await read(id)).expires_at).toBe(events.at(-1)?.[3]);
  });

  const whileChanged = (
    id: string,
    change: string,
    request: () => Promise<Reply>,
    laterMs?: number,
  ) => {
    const update = [`UPDATE checkout_sessions SET ${change} WHERE id = $1`, uuidOf(id)] as const;
    return overtaken(service, update, () => untilDecided(request), laterMs);
  };

  test.each([
    ['a payment', COMPLETED, 201, (id: string) => pay(id)],
    ['an expiry', EXPIRED, 200, (id: string) => shop.expire(id)],
  ])('decides %s again that was decided before a wait', async (_, type, expected, close) => {
    const { id } = await created();
    const change = `expires_at = date_trunc('second', now() + interval '5 days'), original_expires_at = expires_at, awaits = 1`;
    expect((await whileChanged(id, change, () => close(id))).status).toBe(expected);
    const { status, expires_at } = await read(id);
    expect((await told(id)).at(-1)).toEqual([type, 3, status, expires_at, null]);
  });

  test('refuses to wait when its time ends while the request waits for the lock', async () => {
    const { id } = await created();
    const soon = `expires_at = now() + interval '0.25 seconds'`;
    const late = await whileChanged(id, soon, () => awaited(id, now() + DAY), 350);
    expect([late.status, late.body.error?.code]).toEqual([422, 'session_not_open']);
    expect((await read(id)).status).toBe('expired');
  });

  test('gives waits, expiry, payment, sweeper and clock one order', async () => {
    const race = async (number: number) => {
      const here = await Shop.open(service, shop);
      const there = here.at(other);
      const session = await created(here);
      const untils = [now() + 3 * DAY, now() + 5 * DAY];
      const contestants = [
        () => awaited(session.id, untils[0], {}, here),
        () => helped(session.id, { until: untils[1] }, there),
        () => pay(session.id, {}, there),
        () => here.expire(session.id),
        () => advance(2, there),
      ];
      const chosen = number % 2 === 0 ? contestants : contestants.filter((_, at) => at !== 3);
      const [replies] = await Promise.all([
        atOnce(chosen, number),
        ...[service, other].map(({ application }) => application.get(SessionSweeper).expire()),
      ]);
      // Every answer but the clock's is about this session.
      const done = replies.filter(({ status }) => status < 300).map(({ body }) => body);
      const refused = replies
        .filter(({ status }) => status >= 300)
        .map(({ body }) => body.error.code);
      expect(refused.filter((code) => code !== 'session_not_open')).toEqual([]);
      const events = await here.eventsOf(session.id);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
      const types = events.map(({ type }) => type);
      expect(types.slice(0, -1).some((type) => type === COMPLETED || type === EXPIRED)).toBe(false);
      const waits = done.filter(
        ({ status, object }) => object === 'checkout.session' && status === 'open',
      );
      const shown = events
        .filter(({ type }) => type === AWAITING)
        .map(({ data }) => data.object.expires_at);
      expect(shown.toSorted()).toEqual(waits.map(({ expires_at }) => expires_at).toSorted());
      expect(done.some(({ object }) => object === 'payment')).toBe(types.includes(COMPLETED));
      const { status, expires_at } = await read(session.id, here);
      expect([status, expires_at]).toEqual([
        events.at(-1)?.data.object.status,
        shown.at(-1) ?? session.expires_at,
      ]);
      return types.at(-1);
    };
    const ends: unknown[] = [];
    for (let start = 0; start < 30; start += 5) {
      ends.push(...(await Promise.all(Array.from({ length: 5 }, (_, at) => race(start + at)))));
    }
    expect(new Set(ends).size).toBeGreaterThan(1);
  });
});
