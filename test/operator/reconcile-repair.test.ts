/** Versions before 1.2 could lose the reservation of a refund. These payments are repaired. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RepairPayment } from '../../src/modules/refunds/index.js';
import { Units } from '../../src/persistence/units.js';
import { uuidOf } from '../../src/shared/id.js';
import { ownId } from '../../src/shared/own-id.js';
import { type Service, startService } from '../kit/service.js';
import { command } from '../support/command.js';
import { expectError, readResource } from '../support/envelope.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';

let service: Service;
let shop: Shop;

beforeEach(async () => {
  service = await startService();
  shop = await Shop.open(service);
});

afterEach(() => service.close());

test('the outcome of a refund is stored although its reservation was lost', async () => {
  const payment = (await shop.record({ amount: 1000 })).body.id;
  const [paid, refused] = [
    (await shop.propose(payment, 600)).body.id,
    (await shop.propose(payment, 400)).body.id,
  ];
  await service.sql.query('UPDATE payments SET amount_pending_refund = 0 WHERE id = $1', [
    uuidOf(payment),
  ]);
  expect(await shop.succeed(paid)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect(await shop.fail(refused)).toMatchObject({ status: 200, body: { status: 'failed' } });
  const left = { amount_refunded: 600, amount_pending_refund: 0, amount_refundable: 400 };
  expect((await shop.get(`/v1/payments/${payment}`)).body).toMatchObject(left);
});

/**
 * Makes a payment with more pending than was captured, as after reservations that were lost. One
 * refund of three is claimed.
 */
async function overdraw() {
  const payment = (await shop.record({ amount: 1000 })).body.id;
  const propose = async () => (await shop.propose(payment, 600)).body.id as string;
  const forget = () =>
    service.sql.query('UPDATE payments SET amount_pending_refund = 0 WHERE id = $1', [
      uuidOf(payment),
    ]);
  const first = await propose();
  await forget();
  const claimed = await propose();
  await service.sql.query(
    `UPDATE refunds SET claim_number = 1, claim_expires_at = now() + interval '1 hour' WHERE id = $1`,
    [uuidOf(claimed)],
  );
  await forget();
  const last = await propose();
  return { payment, first, claimed, last };
}

function repairs(payment: string) {
  const repair = service.application.get(RepairPayment);
  const caller = { organization: shop.organization, mode: 'test' } as const;
  return service.application
    .get(Units)
    .commit(caller, (unit) => repair.execute(unit, ownId(unit, payment), true));
}

test('reconcile shows proposals beyond the captured amount, and then repairs them', async () => {
  const { payment, first, claimed, last } = await overdraw();
  await service.sql.query('UPDATE payments SET amount_pending_refund = 0 WHERE id = $1', [
    uuidOf(payment),
  ]);
  const repair = (...more: string[]) =>
    command(['reconcile', '--repair', ...more], { DATABASE_URL: service.databaseUrl });
  const sums = { amount_refunded: 0, amount_pending_refund: 600 };
  const repairs = [{ payment, ...sums, failed: [first, last], overdrawn: 0 }];
  const shown = await repair();
  expect([shown.status, JSON.parse(shown.stdout)]).toEqual([
    1,
    expect.objectContaining({ balanced: false, repairs }),
  ]);
  expect((await shop.get(`/v1/refunds/${first}`)).body.status).toBe('pending');
  const applied = await repair('--apply');
  expect([applied.status, JSON.parse(applied.stdout)]).toEqual([
    0,
    expect.objectContaining({ balanced: true, repairs }),
  ]);
  expect(await shop.amountsOf(payment)).toMatchObject({ refunded: 0, pending: 600 });
  for (const id of [first, last]) {
    const [, event] = await shop.eventsOf(id);
    expect(event).toMatchObject({
      type: 'refund.failed',
      data: { reason: 'More was proposed than was captured.' },
    });
  }
  expect(await shop.succeed(claimed)).toMatchObject({ status: 200 });
});

// The test fails if a repair does not lock the payment, as the ends of its refunds do.
test('a repair and the payout of a refund that it fails happen one after the other', async () => {
  const { payment, first, last } = await overdraw();
  const outsider = await Holder.connect(service.databaseUrl);
  await outsider.hold('SELECT FROM payments WHERE id = $1 FOR UPDATE', [uuidOf(payment)]);
  const repaired = repairs(payment);
  await until(async () => (await waitingForLocks(service.sql)) === 1);
  const paid = shop.succeed(first, { provider_reference: 'payout_1' });
  await until(async () => (await waitingForLocks(service.sql)) === 2);
  await outsider.end();
  expect((await repaired).failed.map(({ state }) => state.id)).toEqual([first, last]);
  expect((await paid).body.error.code).toBe('refund_not_pending');
  expect(await shop.amountsOf(payment)).toMatchObject({ refunded: 0, pending: 600 });
});

test('a repair does not fail a refund that a worker claims meanwhile', async () => {
  const { payment, first, last } = await overdraw();
  const outsider = await Holder.connect(service.databaseUrl);
  const claim = `UPDATE refunds SET claim_number = 1,
    claim_expires_at = statement_timestamp() + interval '1 minute' WHERE id = $1`;
  await outsider.hold(claim, [uuidOf(first)]);
  const repaired = repairs(payment);
  await until(async () => (await waitingForLocks(service.sql)) === 1);
  await outsider.commit();
  await outsider.end();
  expect((await repaired).failed.map(({ state }) => state.id)).toEqual([last]);
  expect((await shop.get(`/v1/refunds/${first}`)).body.status).toBe('pending');
});

test('a payout beyond the captured amount is refused with a reason, and not with 500', async () => {
  const { payment, first, claimed, last } = await overdraw();
  expect((await shop.succeed(first)).status).toBe(200);
  const errors = [['id', 'invalid_value']] as const;
  const nextStep = readResource(`/ledger/v1/payments/${payment}?organization=${shop.organization}`);
  for (const id of [claimed, last])
    expectError(await shop.succeed(id), {
      status: 422,
      code: 'payment_not_refundable',
      errors,
      nextStep,
    });
  expect((await shop.fail(claimed, { claim: 1 })).status).toBe(200);
  expect((await shop.fail(last)).status).toBe(200);
  expect(await shop.amountsOf(payment)).toEqual({
    captured: 1000,
    refunded: 600,
    pending: 0,
    left: 400,
  });
});
