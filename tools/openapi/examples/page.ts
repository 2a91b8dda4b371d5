import type { Examples } from '../operation-examples.js';

export const EXAMPLES: Examples = {
  setPaymentUrl: { body: { payment_url: 'https://psp.example/pay/4711?return={RETURN_URL}' } },
};
