export { named, TROUBLED_REFUNDS, type TroubledRow } from './adapters/persistence/troubled-refunds.js';
export { REFUNDS } from './refunds.module.js';
