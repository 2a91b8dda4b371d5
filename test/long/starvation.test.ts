/** Refunds that nobody can pay, and workers that die over them, keep no other organization's refunds waiting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { atOnce, send } from '../support/client.js';
import type { Server } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { useProcesses, useService } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const WORKERS = 8;
const DYING = 3;
const POISONED = 5_000;
const GOOD = 20;
const RESTART_MS = 50;
/** Within so long, or so many times what the same takes without anything poisoned: a busy machine is slow in both. */
const WITHIN_MS = 5_000;
const TIMES_A_CALM_RUN = 20;

const service = useService();
const processes = useProcesses(service);

/** Older than all others, of a payment that has as much: to propose them one by one takes too long. */
const POISON = `WITH poisoned AS (
    INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status)
    SELECT $1, 'test', ('01900000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, $2, 1, 'usd', 'pending'
    FROM generate_series(1, $3::integer) AS number
  )
  UPDATE payments SET amount_pending_refund = $3 WHERE organization_id = $1 AND mode = 'test' AND id = $2`;

/** Workers that go on until all good refunds are paid. Returns how long it took, and how often each was paid out. */
async function payAll(ledgerKey: string, good: readonly string[]) {
  const payouts = new Map(good.map((id) => [id, 0]));
  const isDone = () => [...payouts.values()].every((times) => times > 0);
  const started = performance.now();
  let took = Number.NaN;
  await atOnce(WORKERS, async (number) => {
    const { url } = processes[number % processes.length] as Server;
    const ask = async (path: string, body: object) =>
      (await send('POST', `${url}/ledger/v1/refunds/${path}`, { key: ledgerKey, body })).body;
    for (let unpaid = 0; !isDone(); ) {
      const [refund] = (await ask('claim', { limit: 1, lease_seconds: 15 })).data;
      if (refund && payouts.has(refund.id)) {
        payouts.set(refund.id, (payouts.get(refund.id) ?? 0) + 1);
        expect((await ask(`${refund.id}/succeed`, { claim: refund.claim.number })).status).toBe('succeeded');
        if (isDone()) took = performance.now() - started;
      } else if (refund && number < DYING && ++unpaid % 3 === 0) {
        // It dies, and another one is started in its place.
        await sleep(RESTART_MS);
      } else if (refund) await ask(`${refund.id}/release`, { claim: refund.claim.number });
    }
  });
  return { took, payouts: [...payouts.values()] };
}

test(`${GOOD} refunds are paid beside ${POISONED} of another organization that nobody can pay, each once`, async () => {
  const [poisoned, shop] = [await Shop.open(service), await Shop.open(service)];
  const good = async () => {
    const payment = (await shop.record({ amount: GOOD })).body.id;
    return atOnce(GOOD, async () => (await shop.propose(payment, 1)).body.id as string);
  };
  const once = Array<number>(GOOD).fill(1);
  const calm = await payAll(shop.ledgerKey, await good());
  expect(calm.payouts).toEqual(once);
  const payment = (await poisoned.record({ amount: POISONED })).body.id;
  await service.sql.query(POISON, [uuidOf(poisoned.organization), uuidOf(payment), POISONED]);
  const beside = await payAll(shop.ledgerKey, await good());
  expect(beside.payouts).toEqual(once);
  expect(beside.took).toBeLessThan(Math.max(WITHIN_MS, TIMES_A_CALM_RUN * calm.took));
  console.log(`calm ${Math.round(calm.took)} ms, beside the poisoned ${Math.round(beside.took)} ms`);
  await expectBalanced(service);
});
