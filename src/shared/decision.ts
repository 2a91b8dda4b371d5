/** Something that a port is to write. Opaque here: the unit of work sends it, and nothing else can. */
export interface Write {
  readonly name: string;
}

/** What a use case returns: what comes of it, and all that has to be written for it, together or not at all. */
export interface Decided<Result> {
  readonly result: Result;
  readonly writes: readonly Write[];
}

/** A decision on rows that must be locked, or changed, to be seen: it is made inside the transaction that writes it. */
export interface DecidedInTransaction<Result> {
  readonly decide: () => Promise<Decided<Result>>;
}

export type Decision<Result> = Decided<Result> | DecidedInTransaction<Result>;

export function decided<Result>(result: Result, ...writes: readonly Write[]): Decided<Result> {
  return { result, writes };
}

export function inTransaction<Result>(decide: () => Promise<Decided<Result>>): DecidedInTransaction<Result> {
  return { decide };
}
