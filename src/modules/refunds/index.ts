export { RefundRecord } from './adapters/persistence/refund.record.js';
export { RefundsModule } from './refunds.module.js';
