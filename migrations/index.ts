/** Every step; they run in the order of the numbers in their names. Add at the end; never change one that has run anywhere. */
export { Access1763700000001 } from './0001-access.js';
export { Idempotency1763700000002 } from './0002-idempotency.js';
export { Checkout1763700000003 } from './0003-checkout.js';
export { Payments1763700000004 } from './0004-payments.js';
export { Refunds1763700000005 } from './0005-refunds.js';
export { RefundOutcomes1763700000006 } from './0006-refund-outcomes.js';
export { Events1763700000007 } from './0007-events.js';
export { PaymentKeys1763700000008 } from './0008-payment-keys.js';
export { OwnExpiry1763700000009 } from './0009-own-expiry.js';
export { WebhookReceivers1763700000010 } from './0010-webhook-receivers.js';
export { AnyEvent1763700000011 } from './0011-any-event.js';
export { AnyEventValid1763700000012 } from './0012-any-event-valid.js';
export { MoneyColumns1763700000013 } from './0013-money-columns.js';
export { MoneyIndexes1763700000014 } from './0014-money-indexes.js';
export { MoneyRules1763700000015 } from './0015-money-rules.js';
export { Page1763700000019 } from './0019-page.js';
