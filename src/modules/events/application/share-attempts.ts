import type { DueReceiver } from '../domain/receiver.js';
import type { Share } from './ports.js';

export interface Load {
  /** How many attempts may still be started, and how many of them to failing receivers. */
  readonly room: number;
  readonly failingRoom: number;
  ofOwner(owner: string): number;
  ofReceiver(due: DueReceiver): number;
  isFailing(due: DueReceiver): boolean;
  atOnce(due: DueReceiver): number;
}

export interface Shares {
  readonly shares: readonly Share[];
  /** Receivers that get no attempt only because no room is left. */
  readonly waiting: readonly DueReceiver[];
}

/**
 * Distributes the room: one attempt to each owner in turn, beginning with the owner that has the fewest under way, and within an
 * owner one to each receiver in turn. Failing receivers come last and share a small room of their own.
 */
export function shareAttempts(due: readonly DueReceiver[], load: Load): Shares {
  // A receiver is ready when half of its attempts are free, so that one claim takes several deliveries.
  const ready = due
    .filter((one) => load.atOnce(one) > 0 && load.ofReceiver(one) <= load.atOnce(one) / 2)
    .sort((one, other) => load.ofReceiver(one) - load.ofReceiver(other));
  const taken = new Map<string, number>();
  const well = shareAmong(
    ready.filter((one) => !load.isFailing(one)),
    load,
    load.room,
    taken,
  );
  const left = load.room - well.shares.reduce((sum, { take }) => sum + take, 0);
  const failing = shareAmong(
    ready.filter((one) => load.isFailing(one)),
    load,
    Math.min(left, load.failingRoom),
    taken,
  );
  return { shares: [...well.shares, ...failing.shares], waiting: well.waiting };
}

interface Growing extends Share {
  take: number;
}

function shareAmong(due: readonly DueReceiver[], load: Load, room: number, taken: Map<string, number>): Shares {
  const queues = new Map<string, Growing[]>();
  for (const one of due) {
    const queue = queues.get(one.owner);
    if (queue) queue.push({ due: one, take: 0 });
    else queues.set(one.owner, [{ due: one, take: 0 }]);
  }
  const byLoad = [...queues.keys()].sort((one, other) => load.ofOwner(one) - load.ofOwner(other));
  let open = byLoad.map((owner) => queues.get(owner) ?? []);
  const shares = open.flat();
  for (let left = room; left > 0 && open.length > 0; open = open.filter((queue) => queue.length > 0)) {
    for (const queue of open) if (left > 0 && takeOne(queue, load, taken)) left -= 1;
  }
  const waiting = open.flat().filter(({ take }) => take === 0);
  return { shares: shares.filter(({ take }) => take > 0), waiting: waiting.map((share) => share.due) };
}

/** Gives one attempt to the next receiver that has room. Receivers without room leave the queue. */
function takeOne(queue: Growing[], load: Load, taken: Map<string, number>): boolean {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { owner, receiver } = next.due;
    const already = taken.get(`${owner} ${receiver}`) ?? 0;
    if (load.ofReceiver(next.due) + already >= load.atOnce(next.due)) continue;
    taken.set(`${owner} ${receiver}`, already + 1);
    next.take += 1;
    queue.push(next);
    return true;
  }
  return false;
}
