export { Pages } from './application/ports.js';
export { SetPaymentUrl } from './application/set-payment-url.js';
export { PAGE } from './page.module.js';
