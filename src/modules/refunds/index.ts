export { OverdueApprovals } from './application/ports.js';
export { RepairPayment } from './application/repair-payment.js';
export { REFUNDS, RefundsModule } from './refunds.module.js';
