import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';

/** Beyond this a waiting query of an owner would only time out later, so it is refused at once. */
export const MAX_WAITING = 2_000;
const PATIENCE_MS = 4_000;

/** Of the pool's connections, for one organization. With 0.8 its flood of lists made another's requests wait twice as long. */
const SHARE = 0.4;

interface Share {
  held: number;
  waiting: number;
  readonly line: (() => void)[];
}

/** Bounds the connections that each owner holds. Its other work waits in a queue of its own and delays no other owner. */
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

  /** Runs work on one connection as soon as its owner may hold one more. Throws service_unavailable when too much waits. */
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
