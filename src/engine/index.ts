/** The door of the engine, which runs the few hot statements: docs/explain/engine.md. Nothing else here is imported from outside. */
export { BATCH_SIZE, Connections } from './connections.js';
export { changeAmounts, type Form, hot, insertInto, type Part } from './form.js';
export { type Outcome, STATEMENTS, type Statement, sent, type Values } from './prepared-query.js';
export { composed, flat } from './statement.js';
export { Writes } from './writes.js';
