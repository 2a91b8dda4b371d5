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
export type { CallOptions, ClientOptions } from './transport.js';
export { type Event, verifyWebhook, type Webhook, type WebhookHeaders } from './webhooks.js';
