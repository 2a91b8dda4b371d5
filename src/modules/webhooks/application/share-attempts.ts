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
  const ready = due.filter((one) => isReady(one, load));
  const well = ready.filter((one) => !load.isFailing(one));
  const failing = ready.filter((one) => load.isFailing(one));
  const wanted = inTurn(well, load);
  const first = wanted.slice(0, Math.max(0, load.room));
  const left = Math.max(0, Math.min(load.room - first.length, load.failingRoom));
  const last = inTurn(failing, load).slice(0, left);
  const waiting = new Set(wanted).size - new Set(first).size;
  return { shares: sharesOf([...first, ...last]), waiting };
}

/**
 * A receiver is ready when half of its attempts are free, so that one claim takes several
 * deliveries.
 */
function isReady(one: DueReceiver, load: Load): boolean {
  return load.underWay(nameOf(one)) <= load.atOnce(one) / 2;
}

/** Counts the attempts of each receiver. */
function sharesOf(attempts: readonly DueReceiver[]): Share[] {
  const byReceiver = Map.groupBy(attempts, (one) => one);
  return [...byReceiver].map(([due, { length: take }]) => ({ due, take }));
}

/**
 * Takes one attempt of each owner in turn, beginning with the owner that has the fewest under way.
 */
function inTurn(receivers: readonly DueReceiver[], load: Load): DueReceiver[] {
  const free = new Map(
    receivers.map((one) => [nameOf(one), load.atOnce(one) - load.underWay(nameOf(one))]),
  );
  const owners = [...Map.groupBy(receivers, ({ owner }) => owner)].sort(
    ([one], [other]) => load.underWay(one) - load.underWay(other),
  );
  const attempts = owners.flatMap(([, own]) =>
    inTurnOfOwner(own, free).map((receiver, turn) => ({ receiver, turn })),
  );
  return attempts.sort((one, other) => one.turn - other.turn).map(({ receiver }) => receiver);
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
