import type { Owner } from './caller.js';

/** A write, made by a port. Only the unit of work can send it. What a port wrote in the open transaction is sent already. */
export interface Write {
  readonly name: string;
  /** Called once it is committed. Must not throw. */
  readonly committed?: () => void;
}

/** What a use case returns: its result, and the writes that are committed together. */
export interface Decided<Result> {
  readonly result: Result;
  readonly writes: readonly Write[];
}

/** A decision that needs a lock, or the result of a write: `decide` runs inside the transaction that commits it. */
export interface DecidedInTransaction<Result> {
  readonly owner: Owner;
  readonly decide: () => Promise<Decided<Result>>;
}

export type Decision<Result> = Decided<Result> | DecidedInTransaction<Result>;

export function decided<Result>(result: Result, ...writes: readonly Write[]): Decided<Result> {
  return { result, writes };
}

export function inTransaction<Result>(
  owner: Owner,
  decide: () => Promise<Decided<Result>>,
): DecidedInTransaction<Result> {
  return { owner, decide };
}
