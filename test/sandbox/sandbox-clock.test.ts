/**
 * The clock of an organization's test mode applies to everything in that mode, and to nothing else.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { storedReceiver } from '../../src/modules/webhooks/domain/receiver.js';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, isReplay, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { fixRequest } from '../support/envelope.js';
import { expectBalanced } from '../support/reconciled.js';
import { useReceiver } from '../support/setup.js';
import { Shop } from '../support/shop.js';

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
const read = async (at: Shop = shop) => (await at.get(CLOCK)).body;
const advance = (by: number, at: Shop = shop) => at.post(CLOCK, { advance_seconds: by });

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
