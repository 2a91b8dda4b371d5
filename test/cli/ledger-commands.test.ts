/** The command line does what the ledger does over HTTP, with the same output and the same effect. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { command } from '../support/command.js';
import { expectBalanced } from '../support/reconciled.js';
import { type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

let service: Service;
let shop: Shop;
let payment: string;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
  payment = (await shop.record()).body.id;
});

afterEach(() => expectBalanced(service));

afterAll(() => service.close());

/** Runs the command and returns the one object it prints. */
// biome-ignore lint/suspicious/noExplicitAny: the tests find out what it is.
async function run(...words: string[]): Promise<any> {
  const { status, stdout, stderr } = await command(words, { DATABASE_URL: service.databaseUrl });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Runs the command and returns the one line it fails with. */
async function fail(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await command(words, { DATABASE_URL: service.databaseUrl });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trimEnd();
}

const own = () => ['--mode', 'test', '--org', shop.organization];
const propose = async (amount = 100) => (await shop.propose(payment, amount)).body;
const ledgersView = async (path: string) => (await shop.ledgerGet(`/ledger/v1${path}`)).body;

describe('payment list', () => {
  test("prints the response of the ledger's API: a page, and by session or reference", async () => {
    const session = (await shop.createSession()).body.id;
    const paid = (await shop.record({ amount: 1000, checkout_session: session, reference: 'capture-1' })).body;
    const query = `/payments?organization=${shop.organization}`;
    expect(await run('payment', 'list', ...own())).toEqual(await ledgersView(query));
    const first = await run('payment', 'list', ...own(), '--limit', '1');
    expect(first).toEqual(await ledgersView(`${query}&limit=1`));
    const second = await run('payment', 'list', ...own(), '--limit', '1', '--cursor', first.next_cursor);
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([payment]);
    for (const filter of [
      ['--session', session],
      ['--reference', 'capture-1'],
    ]) {
      expect((await run('payment', 'list', ...own(), ...filter)).data).toEqual([paid]);
    }
    expect((await run('payment', 'list', '--mode', 'live', '--org', shop.organization)).data).toEqual([]);
  });
});

describe('refund', () => {
  test("list prints the response of the ledger's API, by default of pending refunds", async () => {
    const [first, second] = [await propose(), await propose()];
    await shop.cancel(first.id);
    const query = `/refunds?organization=${shop.organization}`;
    const pending = await run('refund', 'list', ...own());
    expect(pending).toEqual(await ledgersView(query));
    expect(pending.data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
    expect(await run('refund', 'list', ...own(), '--status', 'canceled')).toEqual(
      await ledgersView(`${query}&status=canceled`),
    );
    expect((await run('refund', 'list', ...own(), '--cursor', second.id, '--limit', '1')).data).toEqual([]);
  });

  test('claimed refunds cannot be canceled, and fail only with the number of the claim', async () => {
    const [first, second] = [await propose(), await propose()];
    const claimed = await run('refund', 'claim', ...own(), '--limit', '1', '--lease', '10m');
    expect(claimed).toMatchObject({ object: 'list', data: [{ id: first.id, claim: { number: 1 } }], has_more: false });
    expect(claimed.data[0]).toEqual(await ledgersView(`/refunds/${first.id}`));
    expect(claimed.data[0].claim.expires_at - Date.now() / 1000).toBeGreaterThan(500);
    expect((await run('refund', 'claim', ...own())).data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
    expect((await shop.cancel(first.id)).body.error.code).toBe('refund_in_progress');
    expect(await fail('refund', 'fail', first.id)).toBe(
      'The refund is claimed: send the number of its claim as claim.',
    );
    expect(await fail('refund', 'fail', first.id, '--claim', '2')).toBe('The refund has another claim.');
    const failed = await run('refund', 'fail', first.id, '--claim', '1', '--reason', 'account closed');
    expect(failed).toEqual({ ...claimed.data[0], status: 'failed', claim: null });
    const [event] = (await shop.get(`/v1/events?object=${first.id}`)).body.data;
    expect(event).toMatchObject({ type: 'refund.failed', data: { reason: 'account closed' } });
  });

  test('succeed, then return', async () => {
    const { id } = await propose(1200);
    const succeeded = await run('refund', 'succeed', id, '--org', shop.organization);
    expect([succeeded.status, succeeded]).toEqual(['succeeded', await ledgersView(`/refunds/${id}`)]);
    expect(await run('refund', 'succeed', id)).toEqual(succeeded);
    expect(await fail('refund', 'fail', id)).toBe('The refund is succeeded, not pending.');
    expect(await run('refund', 'return', id, '--reason', 'bounced')).toEqual({ ...succeeded, status: 'failed' });
    expect(await shop.amountsOf(payment)).toEqual({ captured: 5000, refunded: 0, pending: 0, left: 5000 });
  });
});

describe('hold', () => {
  test('create keeps an amount from being refunded until it is released', async () => {
    const facts = ['--reason', 'fraudulent', '--reference', 'dispute-42'];
    const hold = await run('hold', 'create', payment, '--org', shop.organization, '--amount', '4000', ...facts);
    expect(hold).toMatchObject({ payment, amount: 4000, reason: 'fraudulent', reference: 'dispute-42' });
    expect(hold).toEqual(await ledgersView(`/holds/${hold.id}`));
    expect((await shop.propose(payment, 1001)).body.error.errors[0].allowed).toEqual(['1000']);
    expect(await run('hold', 'release', hold.id, ...own())).toEqual({ ...hold, status: 'released' });
    expect((await propose(5000)).status).toBe('pending');
  });

  test('create holds all that is left, and refuses more', async () => {
    await propose(1000);
    expect(await fail('hold', 'create', payment, '--amount', '4001')).toBe('Only 4000 is left of this payment.');
    expect(await run('hold', 'create', payment)).toMatchObject({ amount: 4000, reason: null, reference: null });
    expect(await fail('hold', 'create', payment)).toBe('Nothing is left to put on hold of this payment.');
  });
});

test.each([
  ['refund', 'succeed', unknownId('re_test')],
  ['refund', 'fail', unknownId('re_live')],
  ['refund', 'return', unknownId('re_test'), '--org', unknownId('org')],
  ['hold', 'create', unknownId('pay_test')],
  ['hold', 'release', unknownId('hold'), '--mode', 'live'],
])('%s %s refuses what does not exist', async (...words) => {
  expect(await fail(...words)).toBe('No such resource.');
});

test('resources of the other mode are not found', async () => {
  const { id } = (await shop.hold(payment)).body;
  expect(await fail('hold', 'release', id, '--mode', 'live')).toBe('No such resource.');
  const claimed = await run('refund', 'claim', '--mode', 'live', '--org', shop.organization);
  expect(claimed.data).toEqual([]);
});
