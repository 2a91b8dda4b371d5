/**
 * The pretend payer of test mode pays by bank transfer: the money is on its way, and arrives later.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { openPage, stateIn, submit, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const PATH = '/v1/checkout_sessions';
const HELPERS = '/v1/test_helpers';
const DAY = 86_400;
const AWAITING = 'checkout.session.awaiting_payment';
const COMPLETED = 'checkout.session.completed';

const config = { publicUrl: 'https://pay.example' };
const service = useService({ config });
const other = useOther(service, { config });
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const now = () => Math.floor(Date.now() / 1000);
const read = async (id: string, of: Shop = shop) => (await of.get(`${PATH}/${id}`)).body;
const advance = (days: number, of: Shop = shop) =>
  of.post(`${HELPERS}/clock`, { advance_seconds: days * DAY });
const awaited = (id: string, until: unknown, more: object = {}, of: Shop = shop) =>
  of.bare(`/ledger${PATH}/${id}/await_payment`, { until, ...more });
const told = async (id: string) =>
  (await shop.eventsOf(id)).map(({ type, sequence, data: { object, reason } }) => {
    return [type, sequence, object.status, object.expires_at, reason];
  });

describe('a bank transfer of the pretend payer', () => {
  async function transferred() {
    const page = await openPage(shop, SMALLEST);
    const at = service.url + page.path;
    await submit(`${at}/pay`);
    const sent = await submit(`${at}/pretend/transfer`);
    expect([sent.status, sent.location]).toEqual([303, `${page.path}/return`]);
    return { ...page, at, state: async () => stateIn(await visit(at)) };
  }
  const paymentsOf = async (id: string) =>
    (await shop.get(`/v1/payments?checkout_session=${id}`)).body.data;

  test('is on its way for seven days, and arrives after two on any process', async () => {
    const { id, at, state } = await transferred();
    const { expires_at } = await read(id);
    expect(Math.abs(expires_at - now() - 7 * DAY)).toBeLessThan(60);
    for (const rest of ['', '/return', '/cancel']) {
      const { text } = await visit(at + rest);
      expect([text.includes('Your payment is on its way'), /<form/.test(text)]).toEqual([
        true,
        false,
      ]);
    }
    for (const step of ['pay', 'pretend/pay', 'pretend/transfer']) {
      expect((await submit(`${at}/${step}`)).status).toBe(303);
    }
    await advance(1.9);
    expect([await paymentsOf(id), await state()]).toEqual([[], 'awaited']);
    expect((await advance(0.2, shop.at(other))).status).toBe(200);
    expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: null }]);
    expect([await state(), (await read(id)).status]).toEqual(['paid', 'complete']);
    expect((await told(id)).map(([type, , , , reason]) => [type, reason])).toEqual([
      ['checkout.session.created', null],
      [AWAITING, 'bank transfer'],
      [COMPLETED, null],
    ]);
  });

  test('begins once when it is pressed twice at once', async () => {
    const { id, path } = await openPage(shop, SMALLEST);
    const holder = await Holder.connect(service.databaseUrl);
    await holder.hold('SELECT FROM checkout_sessions WHERE id = $1 FOR UPDATE', [uuidOf(id)]);
    const pressed = [service, other].map(({ url }) => submit(`${url}${path}/pretend/transfer`));
    await until(async () => (await waitingForLocks(service.sql)) === 2);
    await holder.release();
    await holder.end();
    for (const { status } of await Promise.all(pressed)) expect(status).toBe(303);
    await advance(2.5);
    expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: null }]);
  });

  test('comes at once by the helper `pay`, and does not come again', async () => {
    const { id, state } = await transferred();
    expect((await shop.post(`${HELPERS}/checkout_sessions/${id}/pay`)).body.mismatch).toBe(null);
    await advance(3);
    expect([await state(), (await paymentsOf(id)).length]).toEqual(['paid', 1]);
  });

  test('does not come once the ledger waits no longer, and is a mismatch once the session has ended', async () => {
    const [called, ended, late] = [await transferred(), await transferred(), await transferred()];
    await awaited(called.id, null);
    expect(await called.state()).toBe('being_paid');
    await shop.expire(ended.id);
    await advance(2.5);
    expect([await paymentsOf(called.id), await paymentsOf(late.id)]).toMatchObject([
      [],
      [{ mismatch: null }],
    ]);
    expect(await paymentsOf(ended.id)).toMatchObject([{ mismatch: 'session_expired' }]);
    expect(await ended.state()).toBe('received');
  });
});
