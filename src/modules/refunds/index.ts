export { RepairPayment } from './application/repair-payment.js';
export { REFUNDS } from './refunds.module.js';
