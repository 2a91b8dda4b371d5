export interface Turn {
  readonly organization: string;
  readonly refunds: number;
}

/**
 * How many refunds a claim takes of each organization: one of each by turns, until it has `limit` or none is left. `waiting` has
 * the claimable refunds of each organization, in the order of their turns.
 */
export function turnsOf(waiting: readonly Turn[], limit: number): Turn[] {
  const taken = waiting.map(() => 0);
  const total = waiting.reduce((sum, { refunds }) => sum + refunds, 0);
  let left = Math.min(limit, total);
  for (let at = 0; left > 0; at = (at + 1) % waiting.length) {
    const { refunds } = waiting[at] as Turn;
    const before = taken[at] as number;
    if (before === refunds) continue;
    taken[at] = before + 1;
    left -= 1;
  }
  return waiting
    .map(({ organization }, at) => ({ organization, refunds: taken[at] as number }))
    .filter(({ refunds }) => refunds > 0);
}
