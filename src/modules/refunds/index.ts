export { RepairPayment } from './application/repair-payment.js';
export { Refund } from './domain/refund.js';
export { DAYS_TO_DECIDE, type RefundState } from './domain/refund-state.js';
export { REFUNDS } from './refunds.module.js';
