import { exampleId } from '../../../../platform/http/schema.js';
import { Hold } from '../../domain/hold.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';

const CAPTURE = { currency: 'usd', checkoutSession: null, reference: 'capture-4711' };
const payment = (amount: number) =>
  Payment.restore({ ...Payment.record({ ...CAPTURE, amount }, 'test', 0).state, id: exampleId(PAYMENT_ID) });

export const REFUSED_REFERENCE = [() => payment(5000).requireSameCapture(payment(4999))];
export const REFUSED_WHEN_EMPTY = (param: string) => () => payment(500).withHold(500).requireRefundable(param);
export const REFUSED_WHEN_PAID_OUT = () => payment(500).withHold(400).requirePayable(500);
const HOLD = { amount: 501, reason: null, reference: null };
export const REFUSED_HOLDS = [
  () => Hold.place(payment(500), HOLD, 0),
  () => Hold.place(payment(500).withHold(500), HOLD, 0),
];
