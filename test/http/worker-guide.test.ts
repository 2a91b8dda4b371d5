/** The worker of the guide, as it stands there, with a provider that pays, refuses, waits, refuses to listen and loses answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { run, type Started, until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';

const [, WORKER = ''] =
  /## Write your worker.*?```js\n(.*?)```/s.exec(readFileSync('docs/guides/refunds-and-the-ledger.md', 'utf8')) ?? [];

/** The amount decides the outcome of a payout. A repeated request gets the same outcome and pays nothing. */
const PROVIDER = `
import { appendFileSync } from 'node:fs';
const OUTCOMES = {
  1: { status: 'paid', id: 'p_1' },
  2: { status: 'refused', id: 'p_2', reason: 'The account is closed.' },
  3: { status: 'pending', id: 'p_3' },
  4: { status: 'not taken' },
  5: { status: 'unknown' },
};
export async function pay({ amount, idempotencyKey }) {
  appendFileSync(process.env.PAYOUTS, idempotencyKey + '\\n');
  return OUTCOMES[amount];
}
export const find = async (id) => ({ status: 'paid', id: 'found_' + id.slice(-4) });
`;

const service = useService();
const shop = useShop(service);
let folder: string;
let worker: Started;

beforeEach(() => {
  // Not in the system's folder for such things, where packages are not found.
  folder = mkdtempSync(join(process.env.TEST_SCRATCH as string, 'worker-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'worker.js'), WORKER);
  writeFileSync(join(folder, 'provider.js'), PROVIDER);
});

afterEach(async () => {
  worker.child.kill('SIGKILL');
  await worker.ended;
  rmSync(folder, { recursive: true });
  await expectBalanced(service);
});

test('each refund is paid out once, and its outcome is in the ledger', async () => {
  const payment = (await shop.record()).body.id;
  const ids: string[] = [];
  for (let amount = 1; amount <= 5; amount++) ids.push((await shop.propose(payment, amount)).body.id);
  const payouts = join(folder, 'payouts');
  writeFileSync(payouts, '');
  worker = run([join(folder, 'worker.js')], { API: service.url, LEDGER_KEY: shop.ledgerKey, PAYOUTS: payouts });
  const paidOut = () => readFileSync(payouts, 'utf8').trim().split('\n');
  const read = async () =>
    (await Promise.all(ids.map((id) => shop.ledgerGet(`/ledger/v1/refunds/${id}`)))).map(({ body }) => body);
  await until(() => paidOut().length === 5);
  const after = Date.now() / 1000;
  await until(async () => (await read())[3].claim === null);
  expect(await read()).toMatchObject([
    { status: 'succeeded', provider_reference: 'p_1' },
    { status: 'failed', reason: 'The account is closed.' },
    { status: 'pending', provider_reference: 'p_3', claim: { number: 1 } },
    { status: 'pending', claim: null },
    { status: 'pending', claim: { number: 1 } },
  ]);
  expect((await read())[2].claim.expires_at).toBeGreaterThan(after + 6 * 86_400);
  await service.sql.query('UPDATE refunds SET claim_expires_at = now(), claimable_at = now() WHERE id = $1', [
    uuidOf(ids[4] as string),
  ]);
  await until(async () => (await read())[4].status === 'succeeded');
  expect(paidOut()).toEqual(ids);
  expect(worker.stderr()).toBe('');
});
