/** This counts the refunds of an organization that can be claimed or that a claim takes. */
export interface RefundCount {
  readonly organization: string;
  readonly refunds: number;
}

/**
 * Shares a claim between organizations: it takes one refund of each in turn, until it has `limit`
 * or none is left. `waiting` counts the claimable refunds of each organization, in the order in
 * which they are served.
 */
export function roundRobin(waiting: readonly RefundCount[], limit: number): RefundCount[] {
  const rounds = waiting.flatMap(({ organization, refunds }) =>
    Array.from({ length: refunds }, (_, round) => ({ organization, round })),
  );
  const taken = rounds.sort((one, other) => one.round - other.round).slice(0, limit);
  const owned = Map.groupBy(taken, ({ organization }) => organization);
  return Array.from(owned, ([organization, { length }]) => ({ organization, refunds: length }));
}
