import { Access1763700000001 } from './0001-access.js';
import { Idempotency1763700000002 } from './0002-idempotency.js';
import { Checkout1763700000003 } from './0003-checkout.js';
import { Payments1763700000004 } from './0004-payments.js';
import { Refunds1763700000005 } from './0005-refunds.js';
import { RefundOutcomes1763700000006 } from './0006-refund-outcomes.js';
import { Events1763700000007 } from './0007-events.js';
import { PaymentKeys1763700000008 } from './0008-payment-keys.js';
import { OwnExpiry1763700000009 } from './0009-own-expiry.js';
import { WebhookReceivers1763700000010 } from './0010-webhook-receivers.js';

/** Every step, in order. Add at the end; never change one that has run anywhere. */
export const MIGRATIONS = [
  Access1763700000001,
  Idempotency1763700000002,
  Checkout1763700000003,
  Payments1763700000004,
  Refunds1763700000005,
  RefundOutcomes1763700000006,
  Events1763700000007,
  PaymentKeys1763700000008,
  OwnExpiry1763700000009,
  WebhookReceivers1763700000010,
] as const;
