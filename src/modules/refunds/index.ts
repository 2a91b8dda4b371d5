export { ledgerRefundView } from './adapters/representation/refunds.views.js';
export { ClaimRefunds } from './application/claim-refunds.js';
export { FailRefund } from './application/fail-refund.js';
export { ListProposals } from './application/list-proposals.js';
export { ReadLedgerRefund } from './application/read-ledger-refund.js';
export { ReturnRefund } from './application/return-refund.js';
export { SucceedRefund } from './application/succeed-refund.js';
export { PROPOSED, REFUND_ID, REFUND_STATUSES, type Refund } from './domain/refund.js';
export { REFUNDS } from './refunds.module.js';
