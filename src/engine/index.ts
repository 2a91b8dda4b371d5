/** The door of the engine, which runs the few hot statements: docs/explain/engine.md. Nothing else here is imported from outside. */
export { Connections } from './connections.js';
export { changeAmounts, type Form, insertInto } from './form.js';
export { type Outcome, STATEMENTS, type Statement, type Values } from './prepared-query.js';
export { BATCH_SIZE } from './reads.js';
export { composed, hot, type Part } from './statement.js';
export { UnitOfWork } from './unit-of-work.js';
