/**
 * These rules say who may decide about a refund, how its approval ends, and when it is too late.
 */
import { describe, expect, test } from '@jest/globals';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import type { RefundState } from '../../src/modules/refunds/domain/refund-state.js';
import type { Requester } from '../../src/shared/caller.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_700;
const DAY = 24 * 3600 * 1000;
const MOMENT = { now: NOW, ahead: 0 };
const OWNER = { organization: 'org_01kaf3v7q4e8yt5w6z9x2c1b0n', mode: 'live' } as const;
const PAYMENT = {
  ...OWNER,
  id: 'pay_live_01h455vb4pex5vsknk084sn02q',
  currency: 'usd',
  refundable: 5000,
};
const INPUT = { payment: PAYMENT.id, amount: 100, reference: null, description: null };
const BOT = { key: 'key_bot', holder: 'support-bot', actor: null };
const ROTATED = { key: 'key_bot_2', holder: 'support-bot', actor: 'Ana' };
const ANA = { key: 'key_ana', holder: 'Ana', actor: null };
const BEN = { key: 'key_ben', holder: 'Ben', actor: 'Ben' };
const FAILURE = { reason: null, claim: null, providerReference: null };

const propose = (needsApproval: boolean) =>
  Refund.propose(PAYMENT, INPUT, MOMENT, { requester: BOT, needsApproval });
const waiting = propose(true);
const by = (requester: Requester, now = NOW, comment: string | null = null) => ({
  by: requester,
  now,
  comment,
});
const approve = (refund: Refund, requester: Requester = ANA, now = NOW) =>
  refund.approve(100, by(requester, now));
const approvalOf = ({ state }: { state: RefundState }) => {
  const { status, approval, proposedBy, approvalExpiresAt, decidedBy, decidedAt, comment } = state;
  return { status, approval, proposedBy, approvalExpiresAt, decidedBy, decidedAt, comment };
};
const UNDECIDED = { proposedBy: BOT, decidedBy: null, decidedAt: null, comment: null };
const EXPIRES = NOW - 700 + 14 * DAY;

test('keeps who proposed a refund, and waits up to 14 days if it needs an approval', () => {
  const free = { status: 'pending', approval: 'not_needed', ...UNDECIDED, approvalExpiresAt: null };
  expect(approvalOf(propose(false))).toEqual(free);
  expect(approvalOf(waiting)).toEqual({ ...free, approval: 'waiting', approvalExpiresAt: EXPIRES });
  expect(Refund.propose(PAYMENT, INPUT, MOMENT).state).toMatchObject({
    approval: 'not_needed',
    proposedBy: null,
  });
});

test('is approved once by another holder, and can then be claimed', () => {
  expect(() => waiting.claim(NOW, 60)).toThrow(
    new RangeError('Only a pending refund that waits for nobody can be claimed.'),
  );
  const approved = waiting.approve(100, by(BEN, NOW + 5, 'Seen the parcel.'));
  expect(approvalOf(approved)).toEqual({
    ...approvalOf(waiting),
    approval: 'approved',
    decidedBy: BEN,
    decidedAt: NOW + 5,
    comment: 'Seen the parcel.',
  });
  expect(approve(approved)).toBe(approved);
  expect(approve(approved.succeed(null)).state.status).toBe('succeeded');
  expect(approved.claim(NOW, 60).state.claimNumber).toBe(1);
});

test('expires when its time is over, and nobody can decide from then on', () => {
  expect(waiting.expire(EXPIRES - 1)).toBe(waiting);
  expect(approvalOf(waiting.expire(EXPIRES))).toEqual({
    ...approvalOf(waiting),
    status: 'canceled',
    approval: 'expired',
  });
  expect(approve(waiting, ANA, EXPIRES - 1).state.approval).toBe('approved');
  for (const late of [() => approve(waiting, ANA, EXPIRES), () => waiting.reject(by(ANA, EXPIRES))])
    expect(refusalOf(late).code).toBe('refund_not_pending');
  for (const other of [approve(waiting), waiting.cancel(NOW), propose(false)])
    expect(other.expire(EXPIRES)).toBe(other);
});

describe('a decision that is not allowed', () => {
  test('is refused to the holder of the proposing key, under any key', () => {
    for (const requester of [BOT, ROTATED]) {
      const refusal = {
        code: 'second_person_required',
        errors: [{ param: 'Authorization' }],
        resource: waiting.state.id,
      };
      expect(refusalOf(() => approve(waiting, requester))).toMatchObject(refusal);
      expect(refusalOf(() => waiting.reject(by(requester)))).toMatchObject(refusal);
      expect(refusalOf(() => approve(approve(waiting), requester))).toMatchObject(refusal);
    }
  });

  test.each([99, 101])(
    'is refused for the amount %s, without a word of the right amount',
    (amount) => {
      const errors = [
        {
          param: 'amount',
          code: 'invalid_value',
          message: "The amount is not the refund's.",
          allowed: [],
        },
      ];
      const refusal = { code: 'approval_amount_mismatch', errors, resource: waiting.state.id };
      for (const refund of [waiting, approve(waiting)])
        expect(refusalOf(() => refund.approve(amount, by(ANA)))).toEqual(refusal);
    },
  );

  test.each([
    ['an approval of a refund that needs none', () => approve(propose(false))],
    ['a rejection of a refund that needs none', () => propose(false).reject(by(ANA))],
    ['an approval of a rejected refund', () => approve(waiting.reject(by(ANA)))],
    ['a rejection of an approved refund', () => approve(waiting).reject(by(ANA))],
    ['an approval of an expired refund', () => approve(waiting.expire(EXPIRES))],
    ['a rejection of an expired refund', () => waiting.expire(EXPIRES).reject(by(ANA))],
    ['an approval of a canceled refund', () => approve(waiting.cancel(NOW))],
    ['an approval of a failed refund', () => approve(waiting.fail(FAILURE))],
    ['an approval of a refund that was paid unapproved', () => approve(waiting.succeed(null))],
    [
      'a rejection of a refund that was paid unapproved',
      () => waiting.succeed(null).reject(by(ANA)),
    ],
  ])('is refused as %s', (_, decide) => {
    expect(refusalOf(decide).code).toBe('refund_not_pending');
  });
});

test('leaves the approval waiting when the refund ends without a decision', () => {
  for (const refund of [waiting.cancel(EXPIRES - 1), waiting.fail(FAILURE), waiting.succeed(null)])
    expect(refund.state).toMatchObject({ approval: 'waiting', decidedBy: null });
});

test("reads expired from the end of the approval's time on, whatever becomes of the refund", () => {
  expect(waiting.asOf(EXPIRES - 1)).toBe(waiting);
  expect(waiting.asOf(EXPIRES).state).toMatchObject({ approval: 'expired', status: 'pending' });
  expect(waiting.cancel(EXPIRES)).toEqual(waiting.expire(EXPIRES));
  expect(approve(waiting).asOf(EXPIRES).state.approval).toBe('approved');
});
