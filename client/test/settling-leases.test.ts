/**
 * A worker of the kit pays only while the lease of its claim lasts, and waits longer before it
 * tries again.
 */
import { expect, jest, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../../test/kit/setup.js';
import { lapse } from '../../test/support/leases.js';
import { until } from '../../test/support/processes.js';
import { useSettling } from '../../test/support/settling.js';
import {
  failed,
  later,
  notThere,
  type SettleOptions,
  stuck,
  succeeded,
  unknown,
} from '../src/ledger/index.js';

const service = useService();
const shop = useShop(service);
const { paid, outcomes, errors, start, propose, read, untilIs, abandoned } = useSettling(
  service,
  shop,
);

test('keeps a refund that the provider does not have yet, and pays again only after its lease', async () => {
  const id = await propose();
  start({ pay: async () => (paid.length === 1 ? unknown() : succeeded()) });
  await until(() => outcomes.length === 1);
  expect((await shop.cancel(id)).body.error.code).toBe('refund_in_progress');
  expect([paid, outcomes]).toEqual([[id], [unknown()]]);
  await lapse(service, id);
  await untilIs(id, 'succeeded');
  expect(paid).toEqual([id, id]);
});

test('ends a call that hangs as unknown', async () => {
  await propose();
  const signals: AbortSignal[] = [];
  const pay: SettleOptions['pay'] = (_, signal) => new Promise(() => void signals.push(signal));
  start({ pay, timeoutSeconds: 0.05 });
  await until(() => outcomes.length === 1);
  expect([outcomes, signals.map(({ aborted }) => aborted)]).toEqual([
    [{ type: 'unknown', why: expect.stringContaining('TimeoutError') }],
    [true],
  ]);
});

test('decides nothing in a worker that was overtaken', async () => {
  const id = await propose();
  const paying = Promise.withResolvers<ReturnType<typeof failed>>();
  // With one refund at a time, the worker does not claim the same refund again itself.
  const worker = start({ pay: () => paying.promise, concurrency: 1 });
  await until(() => paid.length === 1);
  await lapse(service, id);
  const [other] = (await shop.claim()).body.data;
  paying.resolve(failed('no such account'));
  await worker.stop();
  expect(await read(id)).toEqual(other);
  expect(errors).toEqual([]);
});

test('renews the lease during a payout, and stops it when another worker has the refund', async () => {
  const every = globalThis.setInterval;
  const renewals = jest.spyOn(globalThis, 'setInterval');
  renewals.mockImplementation(((call: () => void, delay: number) =>
    every(call, delay === 30_000 ? 50 : delay)) as typeof every);
  const id = await propose();
  let given: AbortSignal | undefined;
  const pay: SettleOptions['pay'] = (_, signal) => {
    given = signal;
    return new Promise(() => undefined);
  };
  start({ pay, concurrency: 1 });
  await until(() => given !== undefined);
  await lapse(service, id);
  await until(async () => (await read(id)).claim.expires_at > Date.now() / 1000 + 50);
  expect(given?.aborted).toBe(false);
  await service.sql.query('UPDATE refunds SET claim_number = 2 WHERE id = $1', [uuidOf(id)]);
  await until(() => outcomes.length === 1);
  expect(given?.reason).toMatchObject({ name: 'TillgateError', code: 'refund_claimed' });
  expect(outcomes).toEqual([{ type: 'unknown', why: expect.stringContaining('TillgateError') }]);
});

test('does not pay in a worker that slept longer than its lease', async () => {
  await abandoned();
  const now = Date.now();
  const find = async () => {
    jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    return notThere();
  };
  const onOutcome: SettleOptions['onOutcome'] = (_, outcome) => {
    jest.restoreAllMocks();
    outcomes.push(outcome);
  };
  start({ find, onOutcome });
  await until(() => outcomes.length === 1);
  expect([paid, outcomes]).toEqual([[], [unknown('The lease ended before the payout began.')]]);
});

test('waits longer each time that nothing can be paid, and does not pay after too many claims', async () => {
  const id = await propose();
  start({ pay: async () => later(1000, 'no balance'), stuckAfter: 2 });
  const wait =
    'SELECT round(extract(epoch FROM claimable_at - now()))::int AS seconds FROM refunds WHERE id = $1';
  const claimableIn = async () => (await service.sql.query(wait, [uuidOf(id)])).rows[0].seconds;
  for (const times of [1, 2]) {
    await until(async () => outcomes.length === times && (await read(id)).claim === null);
    expect(Math.abs((await claimableIn()) - times * 1000)).toBeLessThan(500);
    await service.sql.query('UPDATE refunds SET claimable_at = now() WHERE id = $1', [uuidOf(id)]);
  }
  await until(() => outcomes.length === 3);
  expect(outcomes[2]).toEqual(stuck('It was claimed 3 times, and the provider does not know it.'));
  expect([paid, (await read(id)).claim]).toEqual([
    [id, id],
    { number: 3, expires_at: expect.any(Number) },
  ]);
});
