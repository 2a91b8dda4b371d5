/**
 * Modules use these writes for rows that are written together with rows of other requests
 * (docs/explain/batch.md).
 */
export { type BatchedWrite, changeAmounts, insertInto } from './batch/batched-write.js';
export { BATCH_SIZE } from './batch/connection-pool.js';
/** @public The check of all statements composes them. */
export { composed } from './batch/statement.js';
