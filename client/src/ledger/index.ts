export * from './outcomes.js';
export { type Difference, type Payout, type ReconcileOptions, reconcile } from './reconcile.js';
export { recordPayout } from './record-payout.js';
export {
  type ClaimedRefund,
  type LedgerRefund,
  type SettleOptions,
  settle,
  type Worker,
} from './settle.js';
