export { FindPaymentUrl } from './application/find-payment-url.js';
export { SetPaymentUrl } from './application/set-payment-url.js';
export { PAGE } from './page.module.js';
