import type { Caller } from '../../../../shared/caller.js';
import type { ClaimedDelivery } from '../../application/ports.js';

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Which commits make something due at an endpoint, as far as this process has seen it. What it does not know is found by
 * the look once a second; an organization without endpoints costs nothing.
 */
export class KnownEndpoints {
  /** When it was last seen (monotonic, milliseconds), the oldest first. */
  private readonly seen = new Map<string, number>();

  learn({ owner, event, endpoint }: ClaimedDelivery): void {
    if (endpoint === null) return;
    const name = nameOf(owner, event);
    this.seen.delete(name);
    this.seen.set(name, performance.now());
    const [oldest] = this.seen.keys();
    if (this.seen.size > MAX_REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
  }

  wantEventOf({ organization, mode }: Caller, type: string): boolean {
    return [organization, 'ledger'].some((owner) => {
      const at = this.seen.get(nameOf(owner, { mode, type }));
      return at !== undefined && performance.now() - at < REMEMBERED_MS;
    });
  }
}

function nameOf(owner: string, { mode, type }: { mode: string; type: string }): string {
  return `${owner} ${mode} ${type}`;
}
