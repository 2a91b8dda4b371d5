export { RefundRecord } from './adapters/persistence/refund.record.js';
export { Reconcile } from './application/reconcile.js';
export { RefundsModule } from './refunds.module.js';
