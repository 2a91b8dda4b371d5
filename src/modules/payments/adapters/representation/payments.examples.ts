/** Refusals of the domain for the API's description: it runs them and shows what they throw. */

import { exampleId } from '../../../../platform/http/schema.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';

const payment = (amount: number) =>
  Payment.restore({
    id: exampleId(PAYMENT_ID),
    mode: 'test',
    amount,
    amountRefunded: 0,
    amountPendingRefund: 0,
    currency: 'usd',
    checkoutSession: null,
    reference: 'capture-4711',
  });

export const REFUSED_REFERENCE = [() => payment(5000).requireSameCapture(payment(4999))];
