/**
 * The program in examples/stripe pays refunds out at a stub of Stripe, and tells Tillgate of them.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { atOnce } from '../../test/support/client.js';
import { visit } from '../../test/support/page.js';
import { run, until } from '../../test/support/processes.js';
import { type Fields, STRIPE_SECRET_KEY } from '../../test/support/stripe.js';
import { priced, useStripeProgram } from '../../test/support/stripe-program.js';

const program = useStripeProgram();
const { service, shop, connected, stripe } = program;

const refundOf = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;

async function captured() {
  const payment_intent = `pi_${randomUUID().replaceAll('-', '')}`;
  return { payment_intent, payment: await shop.capture({ reference: payment_intent }) };
}

/** Proposes a refund, and waits until Stripe's side of it is as expected. */
async function refunded(
  payment: string,
  amount: number,
  isDone: (refund: Fields) => boolean,
): Promise<string> {
  const { id } = (await shop.propose(payment, amount)).body;
  await until(async () => isDone(await refundOf(id)));
  return id;
}
const isSettled = ({ status }: Fields) => status !== 'pending';
const isSubmitted = ({ provider_reference }: Fields) => provider_reference !== null;

const AT_STRIPE = Object.entries({ isk: 50_000, ugx: 50_000, mga: 5, jpy: 500, kwd: 500 });
test.each(AT_STRIPE)('pays and refunds %s 500 as %d at Stripe', async (currency, atStripe) => {
  const amount = 500;
  const { id, start, form } = await program.pressed(priced(currency, amount));
  await visit(start);
  expect(form()['line_items[0][price_data][unit_amount]']).toBe(String(atStripe));
  await program.tellPaid(id);
  const [payment] = await program.paymentsOf(id);
  expect(payment).toMatchObject({ amount, currency, mismatch: null });
  const refund = await refunded(payment.id, amount, isSettled);
  expect(stripe.refunds.get(refund)).toMatchObject({
    amount: atStripe,
    payment_intent: `pi_${id}`,
  });
});

test.each(['mga', 'kwd'])(
  'refuses to pay or refund 505 of the minor unit of %s at Stripe',
  async (currency) => {
    const amount = 505;
    const { id, page, pay } = await program.pressed(priced(currency, amount));
    expect([await pay(), stripe.pagesOf(id)]).toEqual([`${page}/cancel`, []]);
    const payment = await shop.capture({ currency, reference: `pi_${id}` });
    const reason = `Stripe does not move such small parts of ${currency.toUpperCase()}.`;
    expect(await refundOf(await refunded(payment, amount, isSettled))).toMatchObject({
      status: 'failed',
      reason,
    });
  },
);

test('finds a refund whose answer is lost, and does not pay it again', async () => {
  const { payment } = await captured();
  stripe.loses = /^POST/;
  const id = await refunded(payment, 2000, isSettled);
  expect(await refundOf(id)).toMatchObject({
    status: 'succeeded',
    provider_reference: `re_of_${id}`,
  });
});

test('fails a refund that Stripe will never pay, and leaves any other refusal to a person', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 400, code: 'charge_disputed' };
  const failed = await refundOf(await refunded(payment, 2000, isSettled));
  expect(failed).toMatchObject({ status: 'failed', reason: 'It is charge_disputed.' });
  stripe.refundsAre = { status: 404, code: 'resource_missing' };
  const { id } = (await shop.propose(payment, 2000)).body;
  await until(() => program.stderr.includes(`${id} needs a person: It is resource_missing.`));
});

test('succeeds a pending refund later, and returns its money', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 'pending' };
  const id = await refunded(payment, 2000, isSubmitted);
  expect(await program.tell('refund.updated', stripe.change(id, { status: 'succeeded' }))).toBe(
    204,
  );
  expect(await refundOf(id)).toMatchObject({ status: 'succeeded' });
  const failed = stripe.change(id, {
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
  });
  stripe.loses = /^GET/;
  expect(await program.tell('refund.failed', failed)).toBe(500);
  stripe.loses = /^$/;
  expect([
    await program.tell('refund.failed', failed),
    await program.tell('refund.failed', failed),
  ]).toEqual([204, 204]);
  expect(await refundOf(id)).toMatchObject({
    status: 'failed',
    reason: 'expired_or_canceled_card',
  });
  expect(await program.tell('refund.failed', { ...failed, metadata: {} })).toBe(204);
});

test("transfers money to a connected account, and takes both parties' parts back for a refund", async () => {
  const { id, start, form } = await program.pressed(priced('usd', 1010), connected);
  await visit(start);
  expect(form()).toMatchObject({
    'payment_intent_data[transfer_data][destination]': 'acct_1',
    'payment_intent_data[application_fee_amount]': '26',
  });
  await program.tellPaid(id);
  const { id: refund } = (await connected.propose((await program.paymentsOf(id))[0].id, 500)).body;
  await until(async () => isSettled(await refundOf(refund)));
  expect(stripe.refunds.get(refund)).toMatchObject({
    form: { reverse_transfer: 'true', refund_application_fee: 'true' },
  });
});

describe('a refund that was made in the dashboard', () => {
  const EVENTS = ['charge.refunded', 'refund.created', 'refund.updated'];
  const ORDERS = [
    EVENTS,
    EVENTS.toReversed(),
    ['refund.updated', 'charge.refunded', 'refund.created'],
  ];
  const refundsOf = async (payment: string) =>
    (await shop.ledgerGet(`/ledger/v1/refunds?status=all&payment=${payment}`)).body.data;
  const madeElsewhere = (payment_intent: string, amount: number) =>
    stripe.refundInDashboard(`re_${randomUUID()}`, { payment_intent, amount });

  test.each(ORDERS)(
    'is recorded once, in part and in full, after %s, %s and %s',
    async (...order) => {
      const { payment, payment_intent } = await captured();
      const live = await shop.in('live', service);
      const inLive = await live.capture({ reference: payment_intent });
      const own = await refunded(payment, 2000, isSettled);
      // A refund of the worker is never taken for one from the dashboard, whatever Tillgate knows
      // about it.
      stripe.refundInDashboard(`re_${randomUUID()}`, {
        payment_intent,
        amount: 100,
        metadata: { refund: own },
      });
      const recorded: unknown[] = [];
      for (const amount of [1000, 2000]) {
        const { id } = madeElsewhere(payment_intent, amount);
        recorded.push({ amount, provider_reference: id, status: 'succeeded' });
        for (const type of [...order, ...order])
          expect(await program.tell(type, stripe.refunds.get(String(id)) ?? {})).toBe(204);
        expect((await refundsOf(payment)).slice(1)).toMatchObject(recorded);
      }
      await atOnce(4, () => program.tell('refund.updated', stripe.refunds.get(own) ?? {}));
      expect(await refundsOf(payment)).toHaveLength(3);
      expect((await live.get(`/v1/payments/${inLive}`)).body.amount_refunded).toBe(0);
    },
  );

  test('is recorded once when it is told many times at once', async () => {
    const { payment, payment_intent } = await captured();
    const refund = madeElsewhere(payment_intent, 5000);
    const told = await atOnce(6, (at) => program.tell(EVENTS[at % 3] ?? '', refund));
    expect(told).toEqual(told.map(() => 204));
    expect(await refundsOf(payment)).toMatchObject([{ amount: 5000, status: 'succeeded' }]);
  });

  test('gives its amount back when it fails, whether it was recorded or not', async () => {
    const { payment, payment_intent } = await captured();
    const { id: known } = madeElsewhere(payment_intent, 1000);
    await program.tell('charge.refunded', { payment_intent });
    madeElsewhere(payment_intent, 500);
    for (const one of stripe.refunds.values()) {
      if (one.payment_intent === payment_intent)
        stripe.change(String(one.id), { status: 'failed', failure_reason: 'lost' });
    }
    for (const type of ['refund.failed', 'refund.updated', 'charge.refunded', 'refund.failed']) {
      expect(await program.tell(type, { payment_intent })).toBe(204);
      expect(await refundsOf(payment)).toMatchObject([
        { provider_reference: known, status: 'failed', reason: 'lost' },
      ]);
    }
    expect((await shop.ledgerGet(`/ledger/v1/payments/${payment}`)).body.amount_refundable).toBe(
      5000,
    );
  });

  test('is recorded when it has succeeded after it was pending', async () => {
    const { payment, payment_intent } = await captured();
    const { id } = madeElsewhere(payment_intent, 1000);
    expect(
      await program.tell('refund.created', stripe.change(String(id), { status: 'pending' })),
    ).toBe(204);
    expect(await refundsOf(payment)).toEqual([]);
    expect(
      await program.tell('refund.updated', stripe.change(String(id), { status: 'succeeded' })),
    ).toBe(204);
    expect(await refundsOf(payment)).toHaveLength(1);
  });

  test('is told again when it comes before its payment or before the worker releases its money', async () => {
    const payment_intent = `pi_${randomUUID().replaceAll('-', '')}`;
    const refund = madeElsewhere(payment_intent, 4000);
    stripe.paymentIntents.set(payment_intent, { metadata: { session: 'cs_test_1' } });
    expect(await program.tell('refund.created', refund)).toBe(500);
    const payment = await shop.capture({ reference: payment_intent });
    stripe.refundsAre = { status: 'pending' };
    const pending = await refunded(payment, 2000, isSubmitted);
    expect(await program.tell('refund.created', refund)).toBe(500);
    await program.tell('refund.failed', stripe.change(pending, { status: 'failed' }));
    expect(await program.tell('refund.created', refund)).toBe(204);
    expect(await refundsOf(payment)).toMatchObject([
      { status: 'failed' },
      { amount: 4000, status: 'succeeded' },
    ]);
  });

  test('is ignored if its payment is not of Tillgate', async () => {
    stripe.paymentIntents.set('pi_other', { metadata: {} });
    expect(await program.tell('charge.refunded', madeElsewhere('pi_other', 1000))).toBe(204);
    expect(await program.tell('charge.refunded', { payment_intent: null })).toBe(204);
  });
});

test('holds the rest of a payment in dispute until it is won', async () => {
  const { payment, payment_intent } = await captured();
  stripe.refundsAre = { status: 'pending' };
  const refund = await refunded(payment, 2000, isSubmitted);
  const onHold = async (status: string, type: string) => {
    expect(await program.tell(type, stripe.dispute({ payment_intent, status, amount: 4000 }))).toBe(
      204,
    );
    return (await shop.ledgerGet(`/ledger/v1/payments/${payment}`)).body.amount_on_hold;
  };
  expect(await onHold('warning_needs_response', 'charge.dispute.created')).toBe(0);
  expect(await onHold('needs_response', 'charge.dispute.funds_withdrawn')).toBe(3000);
  await program.tell('refund.failed', stripe.change(refund, { status: 'failed' }));
  expect(await onHold('lost', 'charge.dispute.closed')).toBe(4000);
  expect(await onHold('won', 'charge.dispute.closed')).toBe(0);
  expect(await onHold('won', 'charge.dispute.created')).toBe(0);
});

test('holds the disputed amount once for events that arrive at once', async () => {
  const { payment, payment_intent } = await captured();
  const dispute = stripe.dispute({ payment_intent, status: 'needs_response', amount: 500 });
  await atOnce(5, () => program.tell('charge.dispute.created', dispute));
  const { data } = (await shop.ledgerGet(`/ledger/v1/holds?payment=${payment}`)).body;
  expect(data).toMatchObject([
    { amount: 500, reason: 'fraudulent', reference: dispute.id, status: 'active' },
  ]);
});

test('refuses keys of two modes', async () => {
  const keys = { TILLGATE_LEDGER_KEY: 'lk_live_1', STRIPE_SECRET_KEY };
  expect((await run(['dist/examples/stripe/stripe.js'], keys).ended).stderr).toContain(
    'One key is of live mode',
  );
});
