import { type DueReceiver, nameOf } from '../domain/receiver.js';
import type { OutgoingAttempts } from './outgoing-attempts.js';
import type { Share } from './ports.js';

export type Load = Pick<
  OutgoingAttempts,
  'room' | 'failingRoom' | 'underWay' | 'isFailing' | 'atOnce'
>;

export interface Shares {
  readonly shares: readonly Share[];
  /** This counts the receivers that get no attempt only because no room is left. */
  readonly waiting: number;
}

/** Distributes the room. Failing receivers come last and share a small room of their own. */
export function shareAttempts(due: readonly DueReceiver[], load: Load): Shares {
  // A receiver is ready when half of its attempts are free, so that one claim takes several
  // deliveries.
  const ready = due.filter((one) => load.underWay(nameOf(one)) <= load.atOnce(one) / 2);
  const { well = [], failing = [] } = Object.groupBy(ready, (one) =>
    load.isFailing(one) ? 'failing' : 'well',
  );
  const wanted = inTurn(well, load);
  const first = wanted.slice(0, Math.max(0, load.room));
  const left = Math.max(0, Math.min(load.room - first.length, load.failingRoom));
  const all = [...first, ...inTurn(failing, load).slice(0, left)];
  const shares = [...Map.groupBy(all, (one) => one)].map(([one, { length: take }]) => ({
    due: one,
    take,
  }));
  return { shares, waiting: new Set(wanted).size - new Set(first).size };
}

/**
 * Takes one attempt of each owner in turn, beginning with the owner that has the fewest under way.
 */
function inTurn(receivers: readonly DueReceiver[], load: Load): DueReceiver[] {
  const free = new Map(
    receivers.map((one) => [nameOf(one), load.atOnce(one) - load.underWay(nameOf(one))]),
  );
  return [...Map.groupBy(receivers, ({ owner }) => owner)]
    .sort(([one], [other]) => load.underWay(one) - load.underWay(other))
    .flatMap(([, own]) => inTurnOfOwner(own, free).map((one, turn) => ({ one, turn })))
    .sort((one, other) => one.turn - other.turn)
    .map(({ one }) => one);
}

/** Takes one attempt to each receiver in turn, as long as it has attempts free. */
function inTurnOfOwner(
  receivers: readonly DueReceiver[],
  free: Map<string, number>,
): DueReceiver[] {
  const all: DueReceiver[] = [];
  for (let round = [...receivers]; round.length > 0; ) {
    round = round.filter((one) => {
      const left = free.get(nameOf(one)) ?? 0;
      free.set(nameOf(one), left - 1);
      return left > 0;
    });
    all.push(...round);
  }
  return all;
}
