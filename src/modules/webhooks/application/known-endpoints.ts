import type { Caller } from '../../../shared/caller.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import { type DueReceiver, dueReceiver } from '../domain/receiver.js';
import { MAX_ENDPOINTS } from '../domain/webhook-endpoint.js';
import type { ClaimedDelivery } from './ports.js';

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Remembers which receivers got events of a type, so that the next such event is claimed for them right after its commit. The
 * poll once a second finds all others. An organization without endpoints costs nothing.
 */
export class KnownEndpoints {
  /** By owner, mode and type, then by stored name: when the receiver was last seen (monotonic, milliseconds). Oldest first. */
  private readonly seen = new Map<string, Map<string, number>>();

  learn({ owner, stored, event, endpoint }: ClaimedDelivery): void {
    if (endpoint === null) return;
    const name = nameOf(owner, event);
    const receivers = this.seen.get(name) ?? new Map<string, number>();
    this.seen.delete(name);
    this.seen.set(name, receivers);
    receivers.delete(stored);
    receivers.set(stored, performance.now());
    if (receivers.size > MAX_ENDPOINTS) forgetOldest(receivers);
    if (this.seen.size > MAX_REMEMBERED) forgetOldest(this.seen);
  }

  receiversOf({ organization, mode }: Caller, type: string): DueReceiver[] {
    const since = performance.now() - REMEMBERED_MS;
    const receivers: DueReceiver[] = [];
    for (const owner of [organization, NO_ORGANIZATION]) {
      for (const [stored, at] of this.seen.get(nameOf(owner, { mode, type })) ?? []) {
        if (at > since) receivers.push(dueReceiver(organization, stored));
      }
    }
    return receivers;
  }
}

function nameOf(owner: string, { mode, type }: { mode: string; type: string }): string {
  return `${owner} ${mode} ${type}`;
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
