export { ORGANIZATIONS_WITH_PAYMENT_URL } from './adapters/persistence/postgres-pages.js';
export { FindPaymentUrl } from './application/find-payment-url.js';
export { SetPaymentUrl } from './application/set-payment-url.js';
export { PAGE } from './page.module.js';
