/**
 * The clock of an organization's test mode applies to everything in that mode, and to nothing else.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/index.js';
import { ManageApiKeys, ManageOrganizations } from '../../src/modules/access/index.js';
import { storedReceiver } from '../../src/modules/webhooks/domain/receiver.js';
import { MAX_ATTEMPTS } from '../../src/modules/webhooks/domain/schedule.js';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import type { Service } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, get, isReplay, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { fixRequest } from '../support/envelope.js';
import { visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { answer } from '../support/receiver.js';
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
const BEGAN = seconds();
const read = async (at: Shop = shop) => (await at.get(CLOCK)).body;
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

describe('the clock', () => {
  test('is real until it is moved, by seconds or to an instant', async () => {
    await expectNow(async () => (await read()).now, 0);
    await expectNow(async () => (await advance(HOUR)).body.now, HOUR);
    const to = seconds() + DAY;
    const { now, ahead_seconds } = (await shop.post(CLOCK, { to })).body;
    expect(now).toBeGreaterThanOrEqual(to);
    await expectNow(async () => (await read()).now, ahead_seconds);
  });

  test('stays where it is for a step to its own time', async () => {
    await advance(DAY);
    for (let attempt = 0; ; attempt++) {
      const moved = await shop.post(CLOCK, { to: (await read()).now });
      // The second may have passed between the two requests.
      if (moved.status === 400 && attempt < 5) continue;
      expect([moved.status, moved.body.ahead_seconds]).toEqual([200, DAY]);
      break;
    }
  });

  test.each([
    ['an instant in its past', () => ({ to: seconds() + HOUR - 5 }), 'to', 'too_small'],
    [
      '400 days less than it has gone',
      () => ({ advance_seconds: 400 * DAY - HOUR + 1 }),
      'advance_seconds',
      'too_large',
    ],
  ])('refuses %s', async (_, body, param, code) => {
    await advance(HOUR);
    const refused = await shop.post(CLOCK, body());
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: 'invalid_param',
      next_step: fixRequest('POST', CLOCK),
    });
    expect(refused.body.error.errors).toMatchObject([{ param, code }]);
    expect((await read()).ahead_seconds).toBe(HOUR);
  });

  test('makes concurrent steps one after the other', async () => {
    const steps = await atOnce(6, (index) =>
      untilDecided(() => advance(HOUR, index % 2 ? shop.at(other) : shop)),
    );
    expect(steps.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const reached = steps.map(({ body }) => body.ahead_seconds).sort((one, next) => one - next);
    expect(reached).toEqual([1, 2, 3, 4, 5, 6].map((hours) => hours * HOUR));
    expect((await read()).ahead_seconds).toBe(6 * HOUR);
  });
});

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

describe('webhooks of an organization whose clock is moved', () => {
  const scheduled = [
    0,
    5,
    5 * 60,
    30 * 60,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ];
  const attemptsAt = (event: string): Promise<Reply['body'][]> => shop.deliveriesOf(event);

  /**
   * Expects each attempt a pause of the schedule after the one before. The pause may differ by a
   * tenth, and by the time that the machine took.
   */
  function expectSchedule(attempts: readonly Reply['body'][]): void {
    expect(attempts.map(({ attempt }) => attempt)).toEqual(scheduled.map((_, index) => index + 1));
    attempts.slice(1).forEach(({ attempted_at: at }, index) => {
      const { attempted_at: before, next_attempt_at: due } = attempts[index];
      const pause = scheduled[index + 1] as number;
      expect(at - before).toBeGreaterThanOrEqual(Math.floor(pause * 0.9) - 1);
      expect(at - before).toBeLessThanOrEqual(Math.ceil(pause * 1.1) + 1 + seconds() - BEGAN);
      expect(at - Number(due)).toBeLessThanOrEqual(seconds() - BEGAN);
    });
    expect(attempts.at(-1)?.next_attempt_at).toBeNull();
  }

  async function refusedSession(): Promise<string> {
    receiver.behave(answer(500));
    const { event } = await shop.notified(receiver.url);
    await until(
      async () => (await attemptsAt(event)).length === 1,
      'the first attempt is recorded',
    );
    return event;
  }

  test('are not sent twice while a delivery is under way', async () => {
    let held: (() => void) | undefined;
    receiver.behave((response) => {
      held = () => void response.writeHead(204).end();
    });
    const { event } = await shop.notified(receiver.url);
    await until(() => held !== undefined);
    const moving = advance(DAY / 2);
    await until(async () => (await read()).ahead_seconds > 0);
    held?.();
    expect((await moving).status).toBe(200);
    expect(await attemptsAt(event)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  test('are attempted ten times at their times in one step over the whole schedule', async () => {
    const event = await refusedSession();
    expect((await advance(5 * DAY)).status).toBe(200);
    expectSchedule(await attemptsAt(event));
    expect(receiver.received.filter(({ id }) => id === event)).toHaveLength(MAX_ATTEMPTS);
  });

  test('move by the seconds of the step itself, not by those of the step before', async () => {
    await advance(HOUR);
    const event = await refusedSession();
    // The second attempt is due after five seconds, and the third one five minutes later.
    await advance(60);
    expect(await attemptsAt(event)).toHaveLength(2);
  });

  test('are signed with the real time, which their receiver compares', async () => {
    await advance(DAY);
    const before = seconds();
    const { event: id } = await shop.notified(receiver.url);
    const received = () => receiver.received.find((webhook) => webhook.id === id);
    await until(() => received() !== undefined);
    const { headers, text: body } = received() ?? { headers: {}, text: '' };
    const [secret = ''] = await service.application
      .get(ManageOrganizations)
      .webhookSecrets(shop.organization);
    const event = await verifyWebhook({ body, headers, secret });
    expect(event.created).toBeGreaterThanOrEqual(before + DAY);
  });

  test("go to an endpoint that is made, tested and given another secret at the clock's time", async () => {
    await advance(DAY);
    let path = '';
    await expectNow(async () => {
      const endpoint = (
        await shop.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] })
      ).body;
      path = `/v1/webhook_endpoints/${endpoint.id}`;
      const tested = (await shop.post(`${path}/test`, {})).body;
      return [endpoint.created, tested.attempted_at];
    }, DAY);
    await shop.post(`${path}/rotate_secret`, { overlap_seconds: HOUR });
    const signatures = async () => {
      const { id } = (await shop.createSession()).body;
      const received = () => receiver.received.find(({ text }) => text.includes(id));
      await until(() => received() !== undefined);
      return String(received()?.headers['webhook-signature']).split(' ').length;
    };
    expect(await signatures()).toBe(2);
    await advance(HOUR);
    expect(await signatures()).toBe(1);
  });
});

describe('a moved clock', () => {
  test('does not end an idempotency key', async () => {
    const create = () => shop.post('/v1/checkout_sessions', SMALLEST, 'order-1');
    const first = await create();
    await advance(400 * DAY);
    const again = await create();
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });

  test('does not move deliveries to the ledger or those of live mode', async () => {
    for (const mode of MODES) await (await shop.in(mode, service)).createSession();
    const organization = uuidOf(shop.organization);
    const receivers = [false, true].map((isLedger) => storedReceiver(receiver.url, isLedger));
    await service.sql.query(
      `INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
        SELECT organization_id, mode, id, gen_random_uuid(), $2, receiver, 0, now() + interval '1 hour'
        FROM events CROSS JOIN unnest($3::text[]) AS receiver WHERE organization_id = $1`,
      [organization, receiver.url, receivers],
    );
    const due = async () => {
      const planned = `SELECT extract(epoch FROM next_attempt_at)::float8 AS at FROM webhook_deliveries
        WHERE organization_id = $1 ORDER BY mode = 'test' AND receiver = $2 DESC, mode, receiver`;
      return (await service.sql.query(planned, [organization, receivers[0]])).rows.map(
        ({ at }) => at,
      );
    };
    const [own, ...others] = await due();
    await advance(HOUR / 2);
    expect(await due()).toEqual([own - HOUR / 2, ...others]);
  });

  test('does not move live mode and other organizations', async () => {
    const others = [await shop.in('live', service), await Shop.open(service)];
    const made = await Promise.all(others.map((of) => of.createSession()));
    await advance(30 * DAY);
    const seen = async (of: Shop, at: number) =>
      (await of.get(`/v1/checkout_sessions/${made[at]?.body.id}`)).body;
    for (const [at, of] of others.entries()) expect(await seen(of, at)).toEqual(made[at]?.body);
    // A live session has the time of live mode, whichever mode reads it.
    expect(await seen(shop, 0)).toEqual(made[0]?.body);
    await expectNow(
      () => Promise.all(others.map(async (of) => (await of.createSession()).body.created_at)),
      0,
    );
    const [before, after] = [await shop.createSession(), await others[1]?.createSession()];
    expect(before.body.created_at).toBeGreaterThan(after?.body.created_at);
    expect(before.body.id < after?.body.id).toBe(true);
  });

  test('does not move the lists that the ledger pages through', async () => {
    const neighbour = await Shop.open(service);
    await advance(400 * DAY);
    const madeBy = async (at: Shop) => {
      const payment = (await at.record()).body.id;
      const hold = (await at.hold(payment, { amount: 1 })).body;
      return { payments: payment, refunds: (await at.propose(payment, 1)).body.id, hold };
    };
    const before = seconds();
    const made = [await madeBy(neighbour), await madeBy(shop), await madeBy(neighbour)];
    const listed = async (path: string): Promise<Reply['body'][]> =>
      (await shop.ledgerGet(`/ledger/v1/${path}`)).body.data;
    for (const kind of ['payments', 'refunds'] as const) {
      const ids = made.map((one) => one[kind]);
      const all = (await listed(`${kind}?limit=100`)).filter(({ id }) => ids.includes(id));
      expect(all.map(({ id }) => id)).toEqual(kind === 'refunds' ? ids : ids.toReversed());
      for (const { created } of [...all, ...made.map(({ hold }) => hold)]) {
        expect(created).toBeGreaterThanOrEqual(before);
        expect(created).toBeLessThanOrEqual(seconds());
      }
    }
    // A ledger that follows by the time of the last event, or by its cursor, misses no event of
    // other organizations.
    const [last] = await listed(`events?organization=${shop.organization}&limit=1`);
    expect(last.created).toBeLessThanOrEqual(seconds());
    const later = await madeBy(neighbour);
    const refundsIn = async (query: string) =>
      (await listed(`events?${query}`)).map(({ data }) => data.object.id);
    for (const from of [`from=${last.created}`, `cursor=${last.id}`])
      expect(await refundsIn(`order=asc&limit=100&${from}`)).toContain(later.refunds);
    expect(await refundsIn('limit=1')).toEqual([later.refunds]);
  });

  test('is known to another process at once', async () => {
    const there = shop.at(other);
    const session = (await there.createSession()).body;
    for (const step of [DAY, DAY, DAY]) {
      const created = (await there.createSession()).body;
      const { now } = (await advance(step)).body;
      expect((await read(there)).now).toBeGreaterThanOrEqual(now);
      expect((await there.get(`/v1/checkout_sessions/${created.id}`)).body.status).toBe('expired');
      expect((await there.createSession()).body.created_at).toBeGreaterThanOrEqual(now);
    }
    expect((await there.get(`/v1/checkout_sessions/${session.id}`)).body.status).toBe('expired');
  });
});
