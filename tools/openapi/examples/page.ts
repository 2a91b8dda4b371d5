import { CheckoutSession } from '../../../src/modules/checkout/domain/checkout-session.js';
import { CHECKOUT_SESSION_ID } from '../../../src/modules/checkout/index.js';
import { exampleId } from '../../../src/request/schema.js';
import type { Examples } from '../operation-examples.js';

const LINE = { productName: 'Book', currency: 'usd', unitPrice: 5000 };
const { state } = CheckoutSession.open({ currency: 'usd', lineItems: [LINE] }, 'test', 0);
const OPEN = CheckoutSession.restore({ ...state, id: exampleId(CHECKOUT_SESSION_ID) });

export const EXAMPLES: Examples = {
  setPaymentUrl: {
    body: { payment_url: 'https://psp.example/pay/4711?return={RETURN_URL}' },
    refusals: [() => OPEN.expire().requireOpen('id')],
  },
};
