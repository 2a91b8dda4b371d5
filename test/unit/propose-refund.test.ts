/** The use case with ports in memory: a race for one reference happens at the one moment that matters, and without a database. */
import { beforeEach, expect, test } from '@jest/globals';
import { Payment } from '../../src/modules/payments/domain/payment.js';
import { Payments } from '../../src/modules/payments/index.js';
import { ChangeRefund } from '../../src/modules/refunds/application/change-refund.js';
import { RefundEvents, Refunds } from '../../src/modules/refunds/application/ports.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { withPorts } from '../kit/ports.js';

const CALLER = { organization: 'org_01kaf3v7q4e8yt5w6z9x2c1b0n', mode: 'live' } as const;
const CAPTURE = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };
const PAYMENT = Payment.record(CAPTURE, CALLER, 0);
const PROPOSAL = { payment: PAYMENT.state.id, amount: 3000, reference: 'return-1', description: null };

const refunds = new Map<string, Refund>();
/** What other requests do while this one reads the payment. */
let meanwhile: () => Payment;

const PORTS = [
  [
    Refunds,
    { byReference: async (_: unknown, reference: string) => refunds.get(reference), add: () => ({ name: 'refund' }) },
  ],
  [
    Payments,
    {
      get: async () => meanwhile(),
      changeAmount: (...[, , ...change]: unknown[]) => ({ name: change.join(' ') }),
    },
  ],
  [RefundEvents, { record: (_: unknown, type: string) => ({ name: type }) }],
] as const;

const PROPOSER = { requester: { key: 'key_shop', holder: 'shop', actor: null }, needsApproval: false };

const propose = async (input = PROPOSAL) => (await withPorts(PORTS)).get(ChangeRefund).propose(CALLER, input, PROPOSER);

beforeEach(() => {
  refunds.clear();
  meanwhile = () => PAYMENT;
});

test('a proposal adds the refund and its event, and reserves the amount last', async () => {
  const { result, writes } = await propose();
  expect(result).toMatchObject({
    isNew: true,
    refund: { state: { amount: 3000, currency: 'usd', status: 'pending' } },
  });
  expect(writes.map(({ name }) => name)).toEqual(['refund', 'refund.created', 'reserve 3000']);
});

test('a proposal that another request overtakes is answered with that one, though nothing is left of the payment', async () => {
  const { refund: winner } = (await propose()).result;
  meanwhile = () => {
    refunds.set(PROPOSAL.reference, winner);
    return PAYMENT.withHold(5000);
  };
  expect(await propose()).toEqual({ result: { refund: winner, isNew: false }, writes: [] });
  await expect(propose({ ...PROPOSAL, reference: 'return-2' })).rejects.toMatchObject({
    code: 'payment_not_refundable',
  });
});
