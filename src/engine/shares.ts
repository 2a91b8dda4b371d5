import { nameOf, type Owner } from '../shared/caller.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../shared/errors.js';

/** Beyond this a waiting query of an owner would only time out later, so it is refused at once. */
export const MAX_WAITING = 2_000;
const PATIENCE_MS = 4_000;

interface Share {
  held: number;
  waiting: number;
  readonly line: Waiter[];
}

interface Waiter {
  readonly queries: number;
  /** From when on it is refused, by the monotonic clock. */
  readonly until: number;
  readonly go: () => void;
  readonly refuse: (refusal: Refusal) => void;
}

/** Bounds the connections that each owner holds. Its other work waits in a queue of its own and delays no other owner. */
export class Shares {
  private readonly shares = new Map<string, Share>();

  constructor(private readonly most: number) {}

  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.shares.values()) sum += waiting;
    return sum;
  }

  /** Runs work on one connection as soon as its owner may hold one more. Throws service_unavailable when too much waits. */
  async within<Result>(owner: Owner, queries: number, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(owner);
    const share = this.shares.get(name) ?? { held: 0, waiting: 0, line: [] };
    if (share.held === this.most) await turnIn(share, queries);
    else {
      share.held += 1;
      this.shares.set(name, share);
    }
    try {
      return await work();
    } finally {
      this.giveBack(name, share);
    }
  }

  private giveBack(name: string, share: Share): void {
    for (let next = share.line.shift(); next; next = share.line.shift()) {
      share.waiting -= next.queries;
      if (performance.now() < next.until) {
        next.go();
        return;
      }
      next.refuse(overloaded());
    }
    share.held -= 1;
    if (share.held === 0) this.shares.delete(name);
  }
}

function turnIn(share: Share, queries: number): Promise<void> {
  if (share.waiting + queries > MAX_WAITING) throw overloaded();
  return new Promise((go, refuse) => {
    share.waiting += queries;
    share.line.push({ queries, until: performance.now() + PATIENCE_MS, go, refuse });
  });
}

export function overloaded(): Refusal {
  return new Refusal(SERVICE_UNAVAILABLE, 'The service is overloaded.');
}
