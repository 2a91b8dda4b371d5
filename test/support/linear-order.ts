/**
 * Looks for an order in which the operations of several clients can have happened, with the check
 * of Wing and Gong.
 */

export interface Operation<State> {
  readonly name: string;
  /** One clock tells when the operation was sent and when its answer came. */
  readonly sent: number;
  readonly answered: number;
  /**
   * Returns the state after the operation, or the same state if it changes nothing. Returns
   * undefined if the service would have answered otherwise in this state.
   */
  readonly after: (state: State) => State | undefined;
}

interface Found<State> {
  /** The list has as many operations as can stand in one order. */
  readonly longest: readonly Operation<State>[];
  /**
   * These operations would have to come next, and have wrong answers. The list is empty when all
   * operations are in order.
   */
  readonly stuck: readonly Operation<State>[];
}

/**
 * Looks for an order in which every answer is right. An operation that was answered before another
 * one was sent comes before it. The answers must say enough that the same operations leave the same
 * state in every order.
 */
export function linearOrder<State>(
  operations: readonly Operation<State>[],
  initial: State,
): Found<State> {
  const all = operations.toSorted((one, other) => one.sent - other.sent);
  const indexes = new Map(all.map((operation, index) => [operation, index]));
  const seen = new Set<string>();
  let best: Found<State> = { longest: [], stuck: all.slice(0, 1) };
  const search = (
    done: readonly Operation<State>[],
    left: readonly Operation<State>[],
    state: State,
  ): boolean => {
    if (left.length === 0) {
      best = { longest: done, stuck: [] };
      return true;
    }
    const next = nextOf(left);
    if (done.length >= best.longest.length) best = { longest: done, stuck: next };
    // These operations alone determine what else is left, because all others were sent later.
    const name = next.map((operation) => indexes.get(operation)).join(' ');
    if (seen.has(name)) return false;
    seen.add(name);
    const possible = next.flatMap((operation) => {
      const after = operation.after(state);
      return after === undefined ? [] : [{ operation, after }];
    });
    // An operation that changes nothing may come as soon as it can.
    const unchanged = possible.filter(({ after }) => after === state);
    const tried = unchanged.length > 0 ? unchanged.slice(0, 1) : possible;
    return tried.some(({ operation, after }) =>
      search(
        [...done, operation],
        left.filter((one) => one !== operation),
        after,
      ),
    );
  };
  search([], all, initial);
  return best;
}

/**
 * Returns the operations that may come first, because they were sent before any of them was
 * answered.
 */
function nextOf<State>(left: readonly Operation<State>[]): Operation<State>[] {
  const until = left.reduce(
    (least, { answered }) => Math.min(least, answered),
    Number.POSITIVE_INFINITY,
  );
  return left.filter(({ sent }) => sent <= until);
}
