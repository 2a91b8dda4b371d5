/** The door of the engine, which runs the few hot statements: docs/explain/engine.md. Nothing else here is imported from outside. */
export { changeAmounts, type Form, hot, insertInto, type Part } from './form.js';
export { type Outcome, STATEMENTS, type Statement, sent, type Values } from './prepared-query.js';
export { Pulse } from './pulse.js';
export { BATCH_SIZE, ReadBatches } from './reads.js';
export { MAX_WAITING, overloaded, Shares } from './shares.js';
export { composed } from './statement.js';
export { UnitOfWork } from './unit-of-work.js';
