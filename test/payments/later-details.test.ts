/**
 * Texts about a session that come after its redaction go by themselves, because nobody asks to
 * redact them.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { LaterDetailsSweeper } from '../../src/modules/payments/adapters/schedule/later-details-sweeper.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { Holder } from '../support/holder.js';
import { idleJobs } from '../support/idle-jobs.js';
import { keepDetails, PLANT, plantedSession, tablesWithPlant } from '../support/planted.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const SESSIONS = '/v1/checkout_sessions';
const DAY = 86_400;

const service = useService({ overrides: [idleJobs()] });
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const advance = (advance_seconds: number) =>
  shop.post('/v1/test_helpers/clock', { advance_seconds });

const redact = (at: Shop, session: string) => at.post(`${SESSIONS}/${session}/redact`);

async function paidSession(at: Shop) {
  const { id } = (await at.post(SESSIONS, plantedSession('https://shop.example'))).body;
  return { session: id, payment: await at.capture({ checkout_session: id }) };
}

const rights = ['propose'] as const;
/** Each entry says something about a payment, and together they are everything that can be said. */
const SAYING: Readonly<Record<string, (at: Shop, payment: string) => Promise<unknown>>> = {
  'a proposal': (at, payment) => at.post('/v1/refunds', { payment, amount: 1, description: PLANT }),
  'a refund that was made elsewhere': (at, payment) =>
    at.recordRefund(payment, { provider_reference: payment, description: PLANT }),
  'a reason': async (at, payment) =>
    at.fail((await at.propose(payment, 1)).body.id, { reason: PLANT }),
  'a comment': async (at, payment) => {
    const { organization, mode } = at;
    const bot = at.as(await createKey(service, { organization, mode, rights }));
    const { id } = (await bot.propose(payment, 1)).body;
    return at.post(`/v1/refunds/${id}/reject`, { comment: PLANT });
  },
  'a hold': (at, payment) => at.hold(payment, { amount: 1, reason: PLANT }),
};

/** Returns the modes in which a refund or hold names a customer. */
async function modesWithPlant(): Promise<string[]> {
  const { rows } = await service.sql.query(
    `SELECT mode FROM refunds
       WHERE concat_ws(' ', description, failure_reason, comment) LIKE '%${PLANT}%'
     UNION SELECT mode FROM payment_holds WHERE reason LIKE '%${PLANT}%' ORDER BY mode`,
  );
  return rows.map(({ mode }) => mode);
}

describe.each([
  ['as many days as details are kept', 3],
  ['30 days where they are kept for ever', 30],
])('redacts later texts about a redacted session after %s', (_, days) => {
  test.each(Object.keys(SAYING))('redacts the text of %s', async (name) => {
    const say = SAYING[name] as (typeof SAYING)[string];
    const live = await shop.in('live', service);
    for (const at of [shop, live]) {
      const { session, payment } = await paidSession(at);
      await redact(at, session);
      await say(at, payment);
    }
    if (days !== 30) await keepDetails(service, shop, days);
    await advance(days * DAY - 60);
    expect(await modesWithPlant()).toEqual(['test', 'live']);
    await advance(120);
    expect(await modesWithPlant()).toEqual(['live']);
    await service.sql.query(
      `UPDATE payments SET details_since = details_since - interval '31 days'`,
    );
    await service.application.get(LaterDetailsSweeper).forgetAll();
    expect(await tablesWithPlant(service.sql)).toEqual([]);
  });
});

test('counts the days from the first text, however much is said later', async () => {
  const { session, payment } = await paidSession(shop);
  await redact(shop, session);
  await shop.hold(payment, { amount: 1, reason: PLANT });
  await advance(29 * DAY);
  await shop.hold(payment, { amount: 1, reason: PLANT });
  expect(await modesWithPlant()).toEqual(['test']);
  await advance(DAY + 60);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test('redacts the texts of one organization whatever keeps those of another', async () => {
  const another = await Shop.open(service);
  for (const [kept, free] of [
    [shop, another],
    [another, shop],
  ] as const) {
    const [held, gone] = [await paidSession(kept), await paidSession(free)];
    for (const [at, { session, payment }] of [
      [kept, held],
      [free, gone],
    ] as const) {
      await redact(at, session);
      await at.hold(payment, { amount: 1, reason: PLANT });
    }
    await service.sql.query(
      `UPDATE payments SET details_since = details_since - interval '31 days'`,
    );
    const holder = await Holder.connect(service.databaseUrl);
    const lock = 'SELECT FROM payment_holds WHERE payment_id = $1 FOR UPDATE';
    await holder.hold(lock, [uuidOf(held.payment)]);
    const sweeper = service.application.get(LaterDetailsSweeper);
    await expect(sweeper.forgetAll()).rejects.toMatchObject({ code: '55P03' });
    const { rows } = await service.sql.query(
      `SELECT replace(payment_id::text, '-', '') AS id FROM payment_holds WHERE reason IS NOT NULL`,
    );
    expect(rows).toEqual([{ id: uuidOf(held.payment) }]);
    await holder.release();
    await holder.end();
    await sweeper.forgetAll();
    expect(await tablesWithPlant(service.sql)).toEqual([]);
  }
});
