export { ACCESS } from './modules/access/index.js';
export { CHECKOUT } from './modules/checkout/index.js';
export { EVENTS } from './modules/events/index.js';
export { PAGE } from './modules/page/index.js';
export { PAYMENTS } from './modules/payments/index.js';
export { REFUNDS } from './modules/refunds/index.js';
export { SANDBOX } from './modules/sandbox/index.js';
// Modules are in the order of these names, and docs/openapi.json lists the types of events in the
// order of modules.
export { WEBHOOKS as EVENT_WEBHOOKS } from './modules/webhooks/index.js';
