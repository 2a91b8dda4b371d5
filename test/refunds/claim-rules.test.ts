/** These rules say when a refund can be claimed next, and how organizations share a claim. */
import { describe, expect, test } from '@jest/globals';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { roundRobin } from '../../src/modules/refunds/domain/round-robin.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const PAYMENT = {
  id: 'pay_live_01h455vb4pex5vsknk084sn02q',
  mode: 'live',
  currency: 'usd',
  refundable: 5000,
} as const;
const PROPOSAL = { payment: PAYMENT.id, amount: 100, reference: null, description: null };
const PENDING = Refund.propose({ ...PAYMENT, organization: 'org_10' }, PROPOSAL, {
  now: NOW,
  ahead: 0,
});
const NOT_CLAIMABLE = new RangeError('Only a pending refund that waits for nobody can be claimed.');
const seconds = (instant: number) => (instant - NOW) / 1000;
/** Returns the end of the lease and the end of the wait after it, in seconds from NOW. */
const timesOf = ({ state }: Refund) => [
  seconds(state.claimExpiresAt ?? 0),
  seconds(state.claimableAt),
];
const extension = (leaseSeconds: number) => ({ claim: 1, leaseSeconds, providerReference: null });

describe('a claim', () => {
  test('waits after its nth lapse in a row its lease times 2 to the n-1, at most an hour', () => {
    const waits: number[] = [];
    let refund = PENDING;
    let now = NOW;
    for (let claims = 1; claims <= 9; claims++) {
      refund = refund.claim(now, 60);
      const { claimNumber, claimExpiresAt, claimableAt } = refund.state;
      expect(claimNumber).toBe(claims);
      expect(() => refund.claim(claimableAt - 1, 60)).toThrow(NOT_CLAIMABLE);
      waits.push((claimableAt - (claimExpiresAt as number)) / 1000);
      now = claimableAt;
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  test('starts the count of lapses anew after a release, which may delay the next claim', () => {
    const lapsed = PENDING.claim(NOW, 60).claim(NOW + 120_000, 60);
    const released = lapsed.release(2, 30, NOW + 130_000);
    expect(released.state).toMatchObject({
      claimNumber: 2,
      claimExpiresAt: null,
      lapses: 0,
      claimableAt: NOW + 160_000,
    });
    expect(() => released.claim(NOW + 159_999, 60)).toThrow(NOT_CLAIMABLE);
    expect(timesOf(released.claim(NOW + 160_000, 60))).toEqual([220, 280]);
  });

  test('is never shortened by an extension', () => {
    const claimed = PENDING.claim(NOW, 60);
    expect(timesOf(claimed.extend(extension(30), NOW + 20_000))).toEqual([60, 120]);
    expect(timesOf(claimed.extend(extension(90), NOW + 20_000))).toEqual([110, 200]);
  });

  test("keeps the provider's reference of the refund", () => {
    const extended = PENDING.claim(NOW, 60).extend(
      { ...extension(5_184_000), providerReference: 're_1' },
      NOW,
    );
    expect(extended.state.providerReference).toBe('re_1');
    expect(timesOf(extended)).toEqual([5_184_000, 5_187_600]);
    expect(extended.extend(extension(60), NOW).state.providerReference).toBe('re_1');
    expect(extended.succeed(null).state.providerReference).toBe('re_1');
    expect(extended.succeed('re_2').state.providerReference).toBe('re_2');
  });

  test('is refused under another number', () => {
    const claimed = PENDING.claim(NOW, 60);
    for (const change of [
      () => claimed.extend({ ...extension(60), claim: 2 }, NOW),
      () => claimed.release(2, 0, NOW),
    ]) {
      expect(refusalOf(change)).toMatchObject({
        code: 'refund_claimed',
        errors: [{ param: 'claim' }],
      });
    }
  });
});

test.each([
  ['succeeded', (refund: Refund) => refund.succeed(null)],
  ['failed', (refund: Refund) => refund.fail({ reason: null, claim: 1, providerReference: null })],
])('a claim is neither extended nor released once its refund has %s', (status, end) => {
  const ended = end(PENDING.claim(NOW, 60));
  for (const change of [() => ended.extend(extension(60), NOW), () => ended.release(1, 0, NOW)]) {
    expect(refusalOf(change)).toMatchObject({
      code: 'refund_not_pending',
      errors: [{ message: `The refund is ${status}, not pending.` }],
    });
  }
});

describe('the refunds that a claim takes', () => {
  const waiting = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([organization, refunds]) => ({ organization, refunds }));

  test.each([
    [{ a: 5000, b: 20 }, 10, { a: 5, b: 5 }],
    [{ a: 5000, b: 2 }, 10, { a: 8, b: 2 }],
    [{ a: 1, b: 1, c: 1 }, 2, { a: 1, b: 1 }],
    [{ a: 3, b: 0, c: 9 }, 5, { a: 3, c: 2 }],
    [{ a: 1 }, 100, { a: 1 }],
    [{}, 10, {}],
  ])('are shared out from %j with a limit of %i as %j', (counts, limit, expected) => {
    expect(roundRobin(waiting(counts), limit)).toEqual(waiting(expected));
  });
});
