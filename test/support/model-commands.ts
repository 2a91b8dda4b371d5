/**
 * Each step of the model's sequences sends one request, and compares the answer and then what it
 * touched.
 */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { MODES, type Mode } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import type { Service } from '../kit/service.js';
import { Model } from './model.js';
import { complete, elapse, expire } from './model-answers.js';
import {
  adopt,
  always,
  amounts,
  type Command,
  found,
  HOUR,
  move,
  ofLedger,
  onOne,
  picks,
  type Real,
  readBack,
  write,
} from './model-steps.js';
import { Shop } from './shop.js';

type InModes<Each> = Readonly<Record<Mode, Each>>;

const DAY = 24 * HOUR;

const create = (total: number) =>
  always(`create ${total}`, async (model, real) => {
    const price = { currency: 'usd', unit_amount: total, product_data: { name: 'Book' } };
    const body = { currency: 'usd', line_items: [{ price_data: price }] };
    const send = (key: string) => real.shop.post('/v1/checkout_sessions', body, key);
    adopt('sessions', model, await write(real, send, model.session(total)));
  });

const capture = (amount: number) =>
  always(`capture ${amount}`, async (model, real) => {
    const send = (key: string) => real.shop.record({ amount }, key);
    adopt('payments', model, await write(real, send, ofLedger(real, model.payment(amount))));
  });

const pay = (pick: number, amount: number, onMismatch: 'refuse' | 'record') =>
  onOne(`pay ${amount} or ${onMismatch} for`, 'sessions', pick, async (id, model, real) => {
    const expected = model.pay(found(model, 'sessions', id), amount, onMismatch);
    const facts = { amount, checkout_session: id, on_mismatch: onMismatch };
    const send = (key: string) => real.shop.record(facts, key);
    adopt('payments', model, await write(real, send, ofLedger(real, expected)));
    await readBack('sessions', id, model, real);
  });

const ENDS = { expire, complete };
const close = (action: keyof typeof ENDS) => (pick: number) =>
  onOne(action, 'sessions', pick, async (id, model, real) => {
    const send = (key: string) => real.shop.post(`/v1/checkout_sessions/${id}/${action}`, {}, key);
    await write(real, send, ENDS[action](found(model, 'sessions', id)));
    await readBack('sessions', id, model, real);
  });

const endTime = (pick: number) =>
  onOne('let the time pass of', 'sessions', pick, async (id, model, real) => {
    elapse(found(model, 'sessions', id));
    const { created_at } = found(model, 'sessions', id);
    const statement = 'UPDATE checkout_sessions SET expires_at = to_timestamp($2) WHERE id = $1';
    await real.sql.query(statement, [uuidOf(id), created_at]);
    await readBack('sessions', id, model, real);
  });

const advance = (seconds: number): Command => ({
  check: ({ mode }) => mode === 'test',
  toString: () => `advance the clock by ${seconds}`,
  run: async (model, real) => {
    const send = (key: string) =>
      real.shop.post('/v1/test_helpers/clock', { advance_seconds: seconds }, key);
    await write(real, send, model.advance(seconds));
    const clock = await real.shop.get('/v1/test_helpers/clock');
    expect(clock.body.ahead_seconds).toBe(model.ahead);
  },
});

const propose = (pick: number, amount: number) =>
  onOne(`propose ${amount} of`, 'payments', pick, async (id, model, real) => {
    const expected = model.propose(found(model, 'payments', id), amount);
    const send = (key: string) => real.shop.post('/v1/refunds', { payment: id, amount }, key);
    adopt('refunds', model, await write(real, send, expected));
    await readBack('payments', id, model, real);
  });

const record = (pick: number, amount: number, number: number) =>
  onOne(`record ${amount} as payout ${number} of`, 'payments', pick, async (id, model, real) => {
    const payout = { provider_reference: `payout_${number}` };
    const expected = model.record(found(model, 'payments', id), amount, payout.provider_reference);
    const send = (key: string) => real.shop.recordRefund(id, { amount, ...payout }, key);
    const reply = await write(real, send, expected);
    const {
      claim: _,
      description: __,
      provider_reference: ___,
      reason: ____,
      approval: _____,
      ...refund
    } = reply.body;
    adopt('refunds', model, { ...reply, body: refund });
    if (reply.status === 201) model.payouts.set(refund.id, payout.provider_reference);
    await readBack('payments', id, model, real);
  });

const cancel = (pick: number) =>
  move('cancel', pick, async (id, model, real) => {
    const send = (key: string) => real.shop.post(`/v1/refunds/${id}/cancel`, {}, key);
    await write(real, send, model.settle(found(model, 'refunds', id), 'canceled'));
  });

/** Makes a decision of the ledger, with the number of a claim or without. */
const decide = (action: 'succeed' | 'fail') => (pick: number, claim: number) =>
  move(`${action} under ${claim}`, pick, async (id, model, real) => {
    const given = claim === 0 ? undefined : claim;
    const expected = model.settle(
      found(model, 'refunds', id),
      action === 'fail' ? 'failed' : 'succeeded',
      given,
    );
    const body = given === undefined ? {} : { claim: given };
    await write(
      real,
      (key) => real.shop.ledgerPost(`/ledger/v1/refunds/${id}/${action}`, body, key),
      expected,
    );
  });

const comeBack = (pick: number) =>
  move('return', pick, async (id, model, real) => {
    const send = (key: string) => real.shop.ledgerPost(`/ledger/v1/refunds/${id}/return`, {}, key);
    await write(real, send, model.return(found(model, 'refunds', id)));
  });

const underClaim = (action: 'extend' | 'release') => (pick: number, claim: number) =>
  move(`${action} ${claim} of`, pick, async (id, model, real) => {
    const expected = model.underClaim(found(model, 'refunds', id), action, claim + 1);
    const body = { claim: claim + 1 };
    await write(
      real,
      (key) => real.shop.ledgerPost(`/ledger/v1/refunds/${id}/${action}`, body, key),
      expected,
    );
  });

const claim = (limit: number) =>
  always(`claim ${limit}`, async (model, { shop }) => {
    const claimed = await shop.claim({ limit });
    expect([claimed.status, claimed.body.data]).toEqual([200, model.claim(limit)]);
  });

const lapse = (pick: number) =>
  move('let the lease end of', pick, async (id, model, { sql }) => {
    model.lapse(found(model, 'refunds', id));
    await sql.query(
      'UPDATE refunds SET claim_expires_at = statement_timestamp(), claimable_at = statement_timestamp() WHERE id = $1 AND claim_expires_at IS NOT NULL',
      [uuidOf(id)],
    );
  });

const hold = (pick: number, amount: number) =>
  onOne(`hold ${amount} of`, 'payments', pick, async (id, model, real) => {
    const wanted = amount === 4 ? undefined : amount;
    const expected = model.hold(found(model, 'payments', id), wanted);
    const body = wanted === undefined ? {} : { amount: wanted };
    const reply = await write(
      real,
      (key) => real.shop.ledgerPost(`/ledger/v1/payments/${id}/holds`, body, key),
      expected,
    );
    if (reply.status === 201) model.holds.push(reply.body);
    await readBack('payments', id, model, real);
  });

const releaseHold = (pick: number) =>
  onOne('release', 'holds', pick, async (id, model, real) => {
    const expected = model.releaseHold(found(model, 'holds', id));
    await write(
      real,
      (key) => real.shop.ledgerPost(`/ledger/v1/holds/${id}/release`, {}, key),
      expected,
    );
    await readBack('payments', found(model, 'holds', id).payment, model, real);
  });

/**
 * Repeats an earlier write under its key, whatever has happened since. It gets the same bytes, and
 * moves nothing.
 */
const retry = (pick: number) =>
  always(`retry ${pick}`, async (_, { sent }) => {
    const earlier = sent[pick % sent.length];
    if (!earlier) return;
    const again = await earlier.send();
    expect([again.status, again.text]).toEqual([earlier.reply.status, earlier.reply.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

const COMMANDS: readonly fc.Arbitrary<Command>[] = [
  fc.nat({ max: 4 }).map(create),
  amounts.map(capture),
  fc
    .tuple(picks, amounts, fc.constantFrom('refuse' as const, 'record' as const))
    .map(([pick, amount, onMismatch]) => pay(pick, amount, onMismatch)),
  picks.map(close('expire')),
  picks.map(close('complete')),
  picks.map(endTime),
  fc.constantFrom(HOUR, HOUR, HOUR, DAY).map(advance),
  // Proposals come often, because most other steps need one.
  ...[1, 2, 3].map(() => fc.tuple(picks, amounts).map(([pick, amount]) => propose(pick, amount))),
  fc
    .tuple(picks, amounts, fc.nat({ max: 2 }))
    .map(([pick, amount, number]) => record(pick, amount, number)),
  picks.map(cancel),
  fc.tuple(picks, fc.nat({ max: 2 })).map(([pick, number]) => decide('succeed')(pick, number)),
  fc.tuple(picks, fc.nat({ max: 2 })).map(([pick, number]) => decide('fail')(pick, number)),
  picks.map(comeBack),
  fc.tuple(picks, fc.nat({ max: 1 })).map(([pick, number]) => underClaim('extend')(pick, number)),
  fc.tuple(picks, fc.nat({ max: 1 })).map(([pick, number]) => underClaim('release')(pick, number)),
  amounts.map(claim),
  picks.map(lapse),
  fc.tuple(picks, amounts).map(([pick, amount]) => hold(pick, amount)),
  picks.map(releaseHold),
  picks.map(retry),
];

/** Compares every resource in the lists of both surfaces. */
async function compareAll(model: Model, { shop }: Real): Promise<void> {
  const listed = async (path: string) => (await shop.get(`/v1/${path}?limit=100`)).body.data;
  const summaries = model.sessions.map(
    ({ id, mode, status, payment_status, currency, amount_total, created_at }) => {
      return { id, mode, status, payment_status, currency, amount_total, created_at };
    },
  );
  expect(await listed('checkout_sessions')).toEqual(summaries.reverse());
  expect(await listed('refunds')).toEqual([...model.refunds].reverse());
  expect(await listed('payments')).toEqual([...model.payments].reverse());
  const waiting = await shop.ledgerGet(
    `/ledger/v1/refunds?organization=${shop.organization}&limit=100`,
  );
  const pending = model.refunds.filter(({ status }) => status === 'pending');
  expect(waiting.body.data).toEqual(pending.map((refund) => model.owned(refund)));
  for (const payment of model.payments) {
    expect((await shop.get(`/v1/payments/${payment.id}`)).body).toEqual(payment);
  }
}

const LONGEST = 12;
/** Most steps are made in both modes at once. */
const WHERE: readonly (readonly Mode[])[] = [MODES, MODES, ['test'], ['live']];

function inModes(
  where: readonly Mode[],
  command: Command,
): fc.AsyncCommand<InModes<Model>, InModes<Real>> {
  const able = (models: InModes<Model>) => where.filter((mode) => command.check(models[mode]));
  return {
    check: (models) => able(models).length > 0,
    run: async (models, reals) =>
      void (await Promise.all(able(models).map((mode) => command.run(models[mode], reals[mode])))),
    toString: () => `${command} (${where.join(' and ')})`,
  };
}

/** Checks random sequences one after the other, each with a twin of its own. */
export function checkSequences(
  service: Service,
  how: { readonly numRuns: number; readonly seed: number },
) {
  const commands = COMMANDS.map((one) =>
    fc.tuple(fc.constantFrom(...WHERE), one).map(([where, command]) => inModes(where, command)),
  );
  const sequence = fc.commands(commands, { maxCommands: LONGEST, size: 'max' });
  const property = fc.asyncProperty(sequence, async (steps) => {
    const twin = await Shop.openTwin(service);
    const modelOf = (mode: Mode) => new Model(twin[mode].organization, mode);
    const realOf = (mode: Mode): Real => ({
      shop: twin[mode],
      sql: service.sql,
      writes: 0,
      sent: [],
    });
    const model = { test: modelOf('test'), live: modelOf('live') };
    const real = { test: realOf('test'), live: realOf('live') };
    // The first step captures a payment, so that there is something to propose from the first
    // random step on.
    await inModes(MODES, capture(4)).run(model, real);
    await fc.asyncModelRun(() => ({ model, real }), steps);
    for (const mode of MODES) await compareAll(model[mode], real[mode]);
  });
  return fc.check(property, how);
}
