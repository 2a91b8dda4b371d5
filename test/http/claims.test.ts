/** Claims: two workers never have the same refund, and a claimed refund cannot be canceled. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { readResource, refusal } from '../support/envelope.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { ownedRefund, Shop } from '../support/shop.js';

const PATH = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record()).body.id;
});

afterEach(() => expectBalanced(service));

const propose = async (amount = 100) => (await shop.propose(payment, amount)).body;
const act = (id: string, action: string, body: object = {}) => shop.ledgerPost(`${PATH}/${id}/${action}`, body);
const read = async (id: string) => (await shop.ledgerGet(`${PATH}/${id}`)).body;
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
/** The lease is over, as if its time had passed. */
const lapse = (id: string) =>
  service.sql.query(
    `UPDATE refunds SET claim_expires_at = now() - interval '1 second', claimable_at = now() WHERE id = $1`,
    [uuidOf(id)],
  );
/** A lease of so many seconds from now, give or take what a busy machine takes. */
const ends = (seconds: number) => ({
  asymmetricMatch: (at: unknown) => Math.abs(Number(at) - Date.now() / 1000 - seconds) <= 14,
});

function refused(code: string, path: string, param: string, paramCode = 'invalid_value') {
  return refusal(code, readResource(path), [{ param, code: paramCode }]);
}

describe('a claim', () => {
  test('takes pending refunds, oldest first, in the list envelope', async () => {
    const [first, second, third] = [await propose(), await propose(), await propose()];
    await shop.succeed(second.id);
    const claimed = await shop.claim({ lease_seconds: 120 });
    expect(claimed.status).toBe(200);
    const data = [first, third].map((refund) =>
      ownedRefund(shop.organization, refund, { number: 1, expires_at: ends(120) }),
    );
    const list = { object: 'list', data, has_more: false, next_cursor: null, items: data, nextCursor: null };
    expect(claimed.body).toEqual(list);
    expect(Object.keys(claimed.body.data[0])).toEqual(Object.keys(data[0] as object));
    expect(await read(first.id)).toEqual(claimed.body.data[0]);
    expect((await shop.claim()).body.data).toEqual([]);
    expect((await shop.get(`/v1/refunds/${first.id}`)).body).toEqual(first);
  });

  test('takes ten unless told otherwise, for a minute, of any organization', async () => {
    for (let at = 0; at < 12; at++) await propose(1);
    const other = await Shop.open(service, { ledgerKey: shop.ledgerKey });
    const foreign = (await other.propose((await other.record()).body.id, 1)).body.id;
    const claimed = await shop.claim();
    expect(claimed.body.data).toHaveLength(10);
    expect(claimed.body.data[0].claim).toEqual({ number: 1, expires_at: ends(60) });
    expect((await shop.claim({ limit: 1 })).body.data).toHaveLength(1);
    const all = await shop.bare(`${PATH}/claim`, { limit: 100 });
    expect(idsOf(all)).toContain(foreign);
    expect((await shop.bare(`${PATH}/claim`)).body.data).toEqual([]);
  });

  test('takes over refunds whose lease has ended, with the same ID and the next number', async () => {
    const { id } = await propose();
    await shop.claim();
    await lapse(id);
    expect((await read(id)).claim.number).toBe(1);
    expect((await shop.claim()).body.data).toMatchObject([{ id, status: 'pending', claim: { number: 2 } }]);
  });

  test('ignores the idempotency key: repeating the request claims again', async () => {
    const [first, second] = [await propose(), await propose()];
    const send = () => shop.ledgerPost(`${PATH}/claim`, { limit: 1, organization: shop.organization }, 'same-key');
    expect(idsOf(await send())).toEqual([first.id]);
    const again = await send();
    expect(idsOf(again)).toEqual([second.id]);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  test('is not for a secret key, and has its own mode', async () => {
    const live = await Shop.open(service, { mode: 'live' });
    const { id } = (await live.propose((await live.record()).body.id, 1)).body;
    expect(idsOf(await shop.claim({ organization: live.organization }))).toEqual([]);
    expect(idsOf(await live.claim())).toEqual([id]);
    const merchant = await shop.post(`${PATH}/claim`, {});
    expect([merchant.status, merchant.body.error.code]).toEqual([401, 'invalid_api_key']);
  });
});

describe('actions that need the number of the claim', () => {
  test('extend lengthens the lease and never shortens it, even after it has ended', async () => {
    const { id } = await propose();
    await shop.claim({ lease_seconds: 600 });
    const shorter = await act(id, 'extend', { claim: 1, lease_seconds: 15 });
    expect(shorter.body).toMatchObject({ id, claim: { number: 1, expires_at: ends(600) } });
    await lapse(id);
    const longer = await act(id, 'extend', { claim: 1, lease_seconds: 900 });
    expect([longer.status, longer.body.claim]).toEqual([200, { number: 1, expires_at: ends(900) }]);
    expect((await shop.claim()).body.data).toEqual([]);
  });

  test.each([
    ['extend', { claim: 1, lease_seconds: 60 }],
    ['release', { claim: 1 }],
    ['fail', { claim: 1, reason: 'frozen worker' }],
  ])('%s is refused to a worker whose claim another has taken over', async (action, body) => {
    const { id } = await propose();
    await shop.claim();
    await lapse(id);
    await shop.claim();
    const late = await act(id, action, body);
    expect([late.status, late.body]).toEqual([422, refused('refund_claimed', `${PATH}/${id}`, 'claim')]);
    expect(await read(id)).toMatchObject({ status: 'pending', claim: { number: 2 } });
  });

  test('fail without a number is refused while the refund is claimed, even when the lease is over', async () => {
    const { id } = await propose();
    await shop.claim();
    await lapse(id);
    const blind = await act(id, 'fail', { reason: 'by hand' });
    expect([blind.status, blind.body]).toEqual([422, refused('refund_claimed', `${PATH}/${id}`, 'claim', 'required')]);
    expect((await act(id, 'fail', { claim: 1 })).body).toMatchObject({ status: 'failed', claim: null });
  });
});

test('PostgreSQL itself refuses a claim on a refund that is not pending', async () => {
  const { id } = await propose();
  await shop.cancel(id);
  const claim = `UPDATE refunds SET claim_number = 1, claim_expires_at = now() WHERE id = $1`;
  await expect(service.sql.query(claim, [uuidOf(id)])).rejects.toMatchObject({ constraint: 'refunds_claim' });
});
