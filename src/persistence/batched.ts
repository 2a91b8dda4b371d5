/** Forms of rows that are written with those of other requests: docs/explain/engine.md. */
export { changeAmounts, type Form as BatchedWrite, insertInto } from '../engine/index.js';
