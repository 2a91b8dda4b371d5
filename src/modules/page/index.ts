export { Pages, type PaymentUrls } from './application/ports.js';
export { SetPaymentUrl } from './application/set-payment-url.js';
export { PAGE, PageModule } from './page.module.js';
