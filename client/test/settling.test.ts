/**
 * The kit for ledgers runs against the service itself. The tests show what it pays, what it looks
 * for first, and what it reports.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../../test/kit/setup.js';
import { FAULTS, startHttpProxy } from '../../test/support/http-proxy.js';
import { until } from '../../test/support/processes.js';
import { useSettling } from '../../test/support/settling.js';
import { ownedRefund } from '../../test/support/shop.js';
import type { ClientOptions } from '../src/index.js';
import {
  failed,
  later,
  notThere,
  type Outcome,
  type PayOutcome,
  stuck,
  submitted,
  succeeded,
} from '../src/ledger/index.js';

const service = useService();
const shop = useShop(service);
const { paid, outcomes, errors, start, propose, proposed, read, untilIs, abandoned } = useSettling(
  service,
  shop,
);

const hours = (count: number) => ({
  asymmetricMatch: (at: unknown) => Math.abs(Number(at) - Date.now() / 1000 - count * 3600) < 60,
});

test('reports the outcome of each refund under its claim', async () => {
  const ids = await proposed(5);
  const answers: Record<number, Outcome> = {
    1: succeeded('p_1'),
    2: failed(`${'a'.repeat(499)}🔒 is cut`),
    3: submitted('p_3'),
    4: later(60, 'no balance'),
    5: stuck('two accounts'),
  };
  const worker = start({ pay: async ({ amount }) => answers[amount] as PayOutcome });
  await until(() => outcomes.length === 5);
  await worker.stop();
  const seen = await Promise.all(ids.map(read));
  const of = async (place: number, facts: object) => {
    const { body } = await shop.get(`/v1/refunds/${ids[place]}`);
    return { ...ownedRefund(shop.organization, body), ...facts };
  };
  expect(seen).toEqual([
    await of(0, { status: 'succeeded', provider_reference: 'p_1' }),
    await of(1, { status: 'failed', reason: `${'a'.repeat(499)}🔒` }),
    await of(2, { provider_reference: 'p_3', claim: { number: 1, expires_at: hours(60 * 24) } }),
    await of(3, { claim: null }),
    await of(4, { claim: { number: 1, expires_at: hours(1) } }),
  ]);
  expect((await shop.claim()).body.data).toEqual([]);
  expect([paid.toSorted(), errors]).toEqual([ids, []]);
});

test.each([
  ['claimed a second time', abandoned, undefined],
  ['more than 12 hours old', proposed, aged],
])('pays a refund that is %s only if the provider does not have it', async (_, make, fetch) => {
  const [there, missing] = (await make(2)) as [string, string];
  const find = async ({ id }: { id: string }) => (id === there ? succeeded('p_1') : notThere());
  start({ find, fetch, pay: async () => succeeded('p_2') });
  await untilIs(there, 'succeeded');
  await untilIs(missing, 'succeeded');
  expect([
    (await read(there)).provider_reference,
    (await read(missing)).provider_reference,
  ]).toEqual(['p_1', 'p_2']);
  expect(paid).toEqual([missing]);
});

/** Answers as if the refunds were proposed 13 hours ago. */
async function aged(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  const text = (await answer.text()).replaceAll(
    /"created":(\d+)/g,
    (_, at) => `"created":${at - 13 * 3600}`,
  );
  return new Response(text, { status: answer.status });
}

test('asks the provider after an unknown outcome', async () => {
  const id = await propose();
  const pay = () => {
    throw new Error('socket hang up');
  };
  start({ pay, find: async () => succeeded('p_1') });
  await untilIs(id, 'succeeded');
  expect([paid, outcomes]).toEqual([[id], [succeeded('p_1')]]);
});

test('wakes when it is told to, and stops when everything that it began is reported', async () => {
  const { fetch: counting, claims } = countingClaims();
  const paying = Promise.withResolvers<ReturnType<typeof succeeded>>();
  const worker = start({ pay: () => paying.promise, pollSeconds: 3600, fetch: counting });
  await until(() => claims.length === 1);
  const id = await propose();
  worker.wake();
  await until(() => paid.length === 1);
  const stopped = worker.stop();
  paying.resolve(succeeded());
  await stopped;
  expect([(await read(id)).status, paid]).toEqual(['succeeded', [id]]);
  const asked = claims.length;
  await propose();
  worker.wake();
  await sleep(200);
  expect([claims.length, paid]).toEqual([asked, [id]]);
});

function countingClaims() {
  const claims: number[] = [];
  const counting: NonNullable<ClientOptions['fetch']> = async (url, init) => {
    const response = await fetch(url, init);
    if (String(url).endsWith('/claim')) claims.push(response.status);
    return response;
  };
  return { fetch: counting, claims };
}

test('looks at submitted refunds when it starts, and again when it is told to', async () => {
  const id = await propose();
  await start({ pay: async () => submitted('p_1') }).stop();
  await until(async () => (await read(id)).provider_reference === 'p_1');
  let truth: ReturnType<typeof succeeded> | ReturnType<typeof failed> = succeeded('p_1');
  const worker = start({ find: async () => truth });
  await untilIs(id, 'succeeded');
  truth = failed('account closed');
  await worker.look(id);
  expect(await read(id)).toMatchObject({
    status: 'failed',
    reason: 'account closed',
    provider_reference: 'p_1',
  });
  await worker.look(id);
  expect([paid, errors]).toEqual([[id], []]);
  truth = succeeded('p_1');
  await worker.look(id);
  expect(errors).toMatchObject([{ code: 'refund_not_pending' }]);
});

test('reports again when a report was lost on the way, and pays nothing again', async () => {
  const proxy = await startHttpProxy(service.url);
  const id = await propose();
  const { cutBefore, cutAfter, cutMidway } = FAULTS;
  const pay = async () => {
    proxy.meet(cutBefore, cutAfter, cutMidway);
    return succeeded();
  };
  const worker = start({ url: proxy.url, pay, concurrency: 1 });
  await untilIs(id, 'succeeded');
  await worker.stop();
  expect([paid, errors]).toEqual([[id], []]);
  await proxy.close();
});

test('reports why Tillgate refuses a request, and goes on', async () => {
  start({ key: 'lk_test_none' });
  await until(() => errors.length > 1);
  expect(errors[0]).toMatchObject({ code: 'invalid_api_key' });
});
