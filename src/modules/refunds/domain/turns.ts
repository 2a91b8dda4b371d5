export interface Turn {
  readonly organization: string;
  readonly refunds: number;
}

/**
 * How many refunds a claim takes of each organization: one of each by turns, until it has `limit` or none is left. `waiting` has
 * the claimable refunds of each organization, in the order of their turns.
 */
export function turnsOf(waiting: readonly Turn[], limit: number): Turn[] {
  const rounds = waiting.flatMap(({ organization, refunds }) =>
    Array.from({ length: refunds }, (_, round) => ({ organization, round })),
  );
  const taken = rounds.sort((one, other) => one.round - other.round).slice(0, limit);
  const owned = Map.groupBy(taken, ({ organization }) => organization);
  return Array.from(owned, ([organization, { length }]) => ({ organization, refunds: length }));
}
