import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';

/**
 * An owner has at most this many waiting queries. One more would only time out later, so it is
 * refused at once.
 */
export const MAX_WAITING = 2_000;
const PATIENCE_MS = 4_000;

/**
 * One owner may hold this part of the pool's connections. With 0.8, one organization's flood of
 * lists made the requests of another wait twice as long.
 */
const SHARE = 0.4;

interface Share {
  held: number;
  waiting: number;
  readonly line: (() => void)[];
}

/**
 * Bounds the connections that each owner holds at the same time. A single shared queue would be
 * unfair: an organization that sends a thousand lists would put them all in front of the one
 * request of its neighbour. So each owner has a queue of its own, and the work that exceeds its
 * share delays only its own later work.
 */
export class FairQueue {
  private readonly shares = new Map<string, Share>();
  private readonly most: number;

  constructor(connections: number) {
    this.most = Math.max(1, Math.floor(connections * SHARE));
  }

  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.shares.values()) sum += waiting;
    return sum;
  }

  /**
   * Runs work on one connection as soon as its owner may hold one more. Throws service_unavailable
   * when too much waits, or when the work has waited for four seconds.
   */
  async within<Result>(
    owner: string,
    queries: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const share = this.shares.get(owner) ?? { held: 0, waiting: 0, line: [] };
    this.shares.set(owner, share);
    const until = performance.now() + PATIENCE_MS;
    if (share.held < this.most) share.held += 1;
    else if (share.waiting + queries > MAX_WAITING) throw overloaded();
    else {
      share.waiting += queries;
      await new Promise<void>((go) => share.line.push(go));
      share.waiting -= queries;
    }
    try {
      if (performance.now() > until) throw overloaded();
      return await work();
    } finally {
      const next = share.line.shift();
      if (next) next();
      else share.held -= 1;
      if (share.held === 0) this.shares.delete(owner);
    }
  }
}

export function overloaded(): Refusal {
  return new Refusal(SERVICE_UNAVAILABLE, 'The service is overloaded.');
}
