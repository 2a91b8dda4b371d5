import type { Caller } from '../../../../shared/caller.js';
import type { ClaimedDelivery } from '../../application/ports.js';
import { type DueReceiver, dueReceiver } from '../../domain/receiver.js';
import { MAX_ENDPOINTS } from '../../domain/webhook-endpoint.js';

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Which receivers a commit makes something due at, as far as this process has seen it: they are told without a look at
 * what is due. What it does not know is found by the look once a second; an organization without endpoints costs nothing.
 */
export class KnownEndpoints {
  /** By owner, mode and type; then, as they are spelled, when they were last seen (monotonic, milliseconds). The oldest first. */
  private readonly seen = new Map<string, Map<string, number>>();

  learn({ owner, spelled, event, endpoint }: ClaimedDelivery): void {
    if (endpoint === null) return;
    const name = nameOf(owner, event);
    const receivers = this.seen.get(name) ?? new Map<string, number>();
    this.seen.delete(name);
    this.seen.set(name, receivers);
    receivers.delete(spelled);
    receivers.set(spelled, performance.now());
    if (receivers.size > MAX_ENDPOINTS) forgetOldest(receivers);
    if (this.seen.size > MAX_REMEMBERED) forgetOldest(this.seen);
  }

  receiversOf({ organization, mode }: Caller, type: string): DueReceiver[] {
    const since = performance.now() - REMEMBERED_MS;
    const receivers: DueReceiver[] = [];
    for (const owner of [organization, 'ledger']) {
      for (const [spelled, at] of this.seen.get(nameOf(owner, { mode, type })) ?? []) {
        if (at > since) receivers.push(dueReceiver(organization, spelled));
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
