import { type DueReceiver, nameOf } from '../domain/receiver.js';
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

interface Growing extends Share {
  take: number;
}

/**
 * Distributes the room: one attempt to each owner in turn, beginning with the owner that has the fewest under way, and within an
 * owner one to each receiver in turn. Failing receivers come last and share a small room of their own.
 */
export function shareAttempts(due: readonly DueReceiver[], load: Load): Shares {
  // A receiver is ready when half of its attempts are free, so that one claim takes several deliveries.
  const ready: Growing[] = due
    .filter((one) => load.atOnce(one) > 0 && load.ofReceiver(one) <= load.atOnce(one) / 2)
    .sort((one, other) => load.ofReceiver(one) - load.ofReceiver(other))
    .map((one) => ({ due: one, take: 0 }));
  const free = new Map(ready.map(({ due: one }) => [nameOf(one), load.atOnce(one) - load.ofReceiver(one)]));
  const [well, failing] = [false, true].map((fails) => ready.filter(({ due: one }) => load.isFailing(one) === fails));
  const { left, waiting } = distribute(well ?? [], load, load.room, free);
  distribute(failing ?? [], load, Math.min(left, load.failingRoom), free);
  return { shares: ready.filter(({ take }) => take > 0), waiting };
}

function distribute(shares: readonly Growing[], load: Load, room: number, free: Map<string, number>) {
  const byOwner = new Map(shares.map(({ due }) => [due.owner, [] as Growing[]]));
  for (const share of shares) byOwner.get(share.due.owner)?.push(share);
  const byLoad = [...byOwner].sort(([one], [other]) => load.ofOwner(one) - load.ofOwner(other));
  let queues = byLoad.map(([, queue]) => queue);
  let left = room;
  for (; left > 0 && queues.length > 0; queues = queues.filter((queue) => queue.length > 0)) {
    for (const queue of queues) if (left > 0 && takeOne(queue, free)) left -= 1;
  }
  const waiting = queues.flat().filter(({ take, due }) => take === 0 && (free.get(nameOf(due)) ?? 0) > 0);
  return { left, waiting: waiting.map(({ due }) => due) };
}

/** Gives one attempt to the next receiver that has room. Receivers without room leave the queue. */
function takeOne(queue: Growing[], free: Map<string, number>): boolean {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const name = nameOf(next.due);
    const left = free.get(name) ?? 0;
    if (left <= 0) continue;
    free.set(name, left - 1);
    next.take += 1;
    queue.push(next);
    return true;
  }
  return false;
}
