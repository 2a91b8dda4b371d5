export { FailRefundRequest, ReturnRefundRequest, toFailure } from './adapters/http/refunds.requests.js';
export { named, TROUBLED_REFUNDS, type TroubledRow } from './adapters/persistence/troubled-refunds.js';
export { REFUSED_FAILURE, REFUSED_RETURN, REFUSED_SUCCESS } from './adapters/representation/refunds.examples.js';
export { REFUND, refundJson } from './adapters/representation/refunds.views.js';
export { FailRefund } from './application/fail-refund.js';
export { ReturnRefund } from './application/return-refund.js';
export { SucceedRefund } from './application/succeed-refund.js';
export { REFUND_ID, type Refund } from './domain/refund.js';
export { REFUNDS, RefundsModule } from './refunds.module.js';
