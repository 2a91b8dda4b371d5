export { Reconcile } from './application/reconcile.js';
export { REFUNDS } from './refunds.module.js';
