/**
 * The kit for ledgers runs against the service itself. The tests show what it pays, what it looks
 * for first, and what it reports.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../../test/kit/setup.js';
import { FAULTS, startHttpProxy } from '../../test/support/http-proxy.js';
import { until } from '../../test/support/processes.js';
import { ownedRefund } from '../../test/support/shop.js';
import type { ClientOptions } from '../src/index.js';
import {
  failed,
  later,
  notThere,
  type Outcome,
  type PayOutcome,
  type Payout,
  reconcile,
  recordPayout,
  type SettleOptions,
  settle,
  stuck,
  submitted,
  succeeded,
  unknown,
  type Worker,
} from '../src/ledger/index.js';

const service = useService();
const shop = useShop(service);
let payment: string;
let workers: Worker[];
let paid: string[];
let outcomes: Outcome[];
let errors: unknown[];

beforeEach(async () => {
  [workers, paid, outcomes, errors] = [[], [], [], []];
  payment = await shop.capture();
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  jest.restoreAllMocks();
});

/** Starts a worker whose provider pays, unless the test says otherwise, and finds nothing. */
function start({ pay = async () => succeeded(), ...others }: Partial<SettleOptions> = {}): Worker {
  const worker = settle({
    url: service.url,
    key: shop.ledgerKey,
    organization: shop.organization,
    pollSeconds: 0.05,
    pay: (refund, signal) => {
      paid.push(refund.id);
      return pay(refund, signal);
    },
    find: async () => notThere(),
    onOutcome: (_, outcome) => void outcomes.push(outcome),
    onError: (error) => void errors.push(error),
    ...others,
  });
  workers.push(worker);
  return worker;
}

const propose = async (amount = 1): Promise<string> =>
  (await shop.propose(payment, amount)).body.id;
const proposed = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await propose(ids.length + 1));
  return ids;
};
const read = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;
const untilIs = (id: string, status: string) =>
  until(async () => (await read(id)).status === status);
/** Ends the lease of the refund, and the wait after it. */
const lapse = (id: string) =>
  service.sql.query(
    'UPDATE refunds SET claim_expires_at = now(), claimable_at = now() WHERE id = $1',
    [uuidOf(id)],
  );

/** Makes refunds whose worker died. */
async function abandoned(count = 1): Promise<string[]> {
  const ids = await proposed(count);
  await shop.claim();
  await Promise.all(ids.map(lapse));
  return ids;
}

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

test('keeps a refund that the provider does not have yet, and pays again only after its lease', async () => {
  const id = await propose();
  start({ pay: async () => (paid.length === 1 ? unknown() : succeeded()) });
  await until(() => outcomes.length === 1);
  expect((await shop.cancel(id)).body.error.code).toBe('refund_in_progress');
  expect([paid, outcomes]).toEqual([[id], [unknown()]]);
  await lapse(id);
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
  await lapse(id);
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
  await lapse(id);
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

test('lists with reconcile what is missing, extra, of another amount or in another state', async () => {
  const ids = await proposed(8);
  const [right, gone, more, early, twice, refused, bounced, open] = ids as [
    string,
    ...string[],
  ] as string[];
  for (const id of [right, gone, more, twice, bounced]) await shop.succeed(id as string);
  await shop.fail(refused as string);
  const payout = (refund = '', amount = 0, status: Payout['status'] = 'succeeded'): Payout => {
    return { refund, amount, currency: 'usd', status };
  };
  async function* theirs() {
    yield* [payout(right, 1), payout(more, 4), payout(early, 4)];
    yield* [payout(twice, 5, 'failed'), payout(twice, 5), payout(twice, 5, 'pending')];
    yield* [payout(refused, 6, 'failed'), payout(bounced, 7, 'failed'), payout('re_test_other', 9)];
  }
  const { url } = service;
  const { organization, ledgerKey: key } = shop;
  const found = await reconcile(theirs(), { url, key, organization, from: '2026-01-01' });
  const of = async (kind: string, refund = '', other?: Payout) => {
    return {
      kind,
      refund,
      theirs: other,
      ours: ids.includes(refund) ? await read(refund) : undefined,
    };
  };
  expect(found).toEqual([
    await of('amount', more, payout(more, 4)),
    await of('state', early, payout(early, 4)),
    await of('extra', twice, payout(twice, 5, 'pending')),
    await of('state', bounced, payout(bounced, 7, 'failed')),
    await of('extra', 're_test_other', payout('re_test_other', 9)),
    await of('missing', gone),
  ]);
  expect((await read(open as string)).status).toBe('pending');
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  expect(await reconcile([payout(right, 1)], { url, key, organization, from: tomorrow })).toEqual(
    [],
  );
});

describe('a payout that was made elsewhere', () => {
  const sum = { amount: 500, currency: 'usd', status: 'succeeded' } as const;
  const made = (facts: Partial<Payout> = {}): Payout => {
    return { refund: undefined, payment, reference: 'd_1', ...sum, ...facts };
  };
  const differences = (...theirs: Payout[]) =>
    reconcile(theirs, { url: service.url, key: shop.ledgerKey, organization: shop.organization });

  test('differs until it is recorded, which may be repeated, and again when it came back', async () => {
    const others = [
      made({ reference: 'd_2', status: 'pending' }),
      made({ reference: 'd_3', status: 'failed' }),
    ];
    const unknown = { kind: 'elsewhere', refund: undefined, ours: undefined, theirs: made() };
    expect(await differences(made(), ...others)).toEqual([unknown]);
    const options = { url: service.url, key: shop.ledgerKey };
    const refund = await recordPayout(made(), options);
    expect(refund).toMatchObject({
      payment,
      amount: 500,
      status: 'succeeded',
      provider_reference: 'd_1',
    });
    expect(await recordPayout(made(), options)).toEqual(refund);
    expect(await differences(made())).toEqual([]);
    const cameBack = made({ status: 'failed' });
    expect(await differences(cameBack)).toEqual([
      { kind: 'state', refund: refund.id, ours: refund, theirs: cameBack },
    ]);
    expect(await differences()).toEqual([
      { kind: 'missing', refund: refund.id, ours: refund, theirs: undefined },
    ]);
    await shop.return(refund.id);
    expect(await differences(cameBack)).toEqual([]);
  });

  test('is counted for the refund that has it, and not for one that gave way to it', async () => {
    const id = await propose(500);
    await shop.recordRefund(payment, { provider_reference: 'd_1' });
    await shop.succeed(id, { provider_reference: 'd_1' });
    expect(await differences(made())).toEqual([]);
    expect(await differences(made({ refund: id }))).toEqual([]);
  });

  test.each([
    ['has no payment', { payment: undefined }, 'A payout has a payment and a reference.'],
    ['has no reference', { reference: undefined }, 'A payout has a payment and a reference.'],
    ['is pending', { status: 'pending' as const }, 'd_1 is pending, not succeeded.'],
    ['is in another currency', { currency: 'eur' }, 'd_1 is in eur, '],
  ])('is not recorded if it %s', async (_, facts, message) => {
    await expect(
      recordPayout(made(facts), { url: service.url, key: shop.ledgerKey }),
    ).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining(message) });
    expect((await shop.amountsOf(payment)).refunded).toBe(0);
  });
});
