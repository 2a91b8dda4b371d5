import type { components } from './description.js';

export { Tillgate, TillgateLedger } from './client.js';
export type { components, operations, paths } from './description.js';
export {
  type ErrorCode,
  type NextStep,
  type ParamError,
  TillgateConnectionError,
  TillgateError,
  WebhookVerificationError,
} from './errors.js';
export { List, type Page } from './pages.js';
export type { ClientOptions, ReadOptions, WriteOptions } from './transport.js';
export {
  type Event,
  type LedgerEvent,
  verifyWebhook,
  type Webhook,
  type WebhookHeaders,
} from './webhooks.js';

/** The most used types by name. All others are in `components['schemas']`. */
type Schemas = components['schemas'];
export type CheckoutSession = Schemas['CheckoutSession'];
export type CheckoutSessionSummary = Schemas['CheckoutSessionSummary'];
export type CreateCheckoutSessionRequest = Schemas['CreateCheckoutSessionRequest'];
export type Payment = Schemas['Payment'];
export type ProposeRefundRequest = Schemas['ProposeRefundRequest'];
export type Refund = Schemas['Refund'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
