/** Rows that are written with those of other requests: docs/explain/engine.md. */
export { BATCH_SIZE } from './batch/connections.js';
export { changeAmounts, type Form as BatchedWrite, insertInto } from './batch/form.js';
/** @public The check of all statements composes them. */
export { composed } from './batch/statement.js';
