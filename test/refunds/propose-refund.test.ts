/**
 * The use case runs with ports in memory, so that a race for one reference happens at the one
 * moment that matters, without a database.
 */
import { beforeEach, expect, test } from '@jest/globals';
import { Payment } from '../../src/modules/payments/domain/payment.js';
import { LaterDetails, Payments } from '../../src/modules/payments/index.js';
import { RefundEvents, Refunds } from '../../src/modules/refunds/application/ports.js';
import { ProposeRefund } from '../../src/modules/refunds/application/propose-refund.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { withPorts } from '../kit/ports.js';
import { inUnit } from '../kit/unit.js';

const CALLER = { organization: 'org_01kaf3v7q4e8yt5w6z9x2c1b0n', mode: 'live' } as const;
const CAPTURE = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };
const PAYMENT = Payment.record(CAPTURE, CALLER, 0);
const PROPOSAL = {
  payment: PAYMENT.state.id,
  amount: 3000,
  reference: 'return-1',
  description: null,
};

const refunds = new Map<string, Refund>();
/** Runs what other requests do while this one reads the payment. */
let meanwhile: () => Payment;
/** The list holds everything that was added to the unit. */
const added: string[] = [];

const PORTS = [
  [
    Refunds,
    {
      byReference: async (_: unknown, reference: string) => refunds.get(reference),
      add: () => added.push('refund'),
    },
  ],
  [
    Payments,
    {
      get: async () => meanwhile(),
      changeAmount: (...[, , ...change]: unknown[]) => added.push(change.join(' ')),
    },
  ],
  [LaterDetails, { note: (_: unknown, { state }: Payment) => added.push(`note ${state.id}`) }],
  [RefundEvents, { record: (_: unknown, type: string) => added.push(type) }],
] as const;

const PROPOSER = {
  requester: { key: 'key_shop', holder: 'shop', actor: null },
  needsApproval: false,
};

const propose = async (input = PROPOSAL) => {
  const useCase = (await withPorts(PORTS)).get(ProposeRefund);
  return inUnit(CALLER, (unit) => useCase.execute(unit, input, PROPOSER));
};

beforeEach(() => {
  refunds.clear();
  added.length = 0;
  meanwhile = () => PAYMENT;
});

test('adds the refund and its event, and reserves the amount', async () => {
  expect(await propose()).toMatchObject({
    isNew: true,
    refund: { state: { amount: 3000, currency: 'usd', status: 'pending' } },
  });
  expect(added).toEqual(['refund', 'refund.created', 'reserve 3000']);
});

test('returns the refund of a request that was faster, though nothing is left of the payment', async () => {
  const { refund: winner } = await propose();
  added.length = 0;
  meanwhile = () => {
    refunds.set(PROPOSAL.reference, winner);
    return PAYMENT.withHold(5000);
  };
  expect(await propose()).toEqual({ refund: winner, isNew: false });
  expect(added).toEqual([]);
  await expect(propose({ ...PROPOSAL, reference: 'return-2' })).rejects.toMatchObject({
    code: 'payment_not_refundable',
  });
});
