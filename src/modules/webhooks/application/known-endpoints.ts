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
  /** By owner, mode and type, those that got an event last at the end; when is monotonic, in milliseconds. */
  private readonly seen = new Map<
    string,
    readonly { readonly stored: string; readonly at: number }[]
  >();

  learn({ owner, stored, event, endpoint }: ClaimedDelivery): void {
    if (endpoint === null) return;
    const name = nameOf(owner, event);
    const others = (this.seen.get(name) ?? []).filter((one) => one.stored !== stored);
    this.seen.delete(name);
    this.seen.set(name, [...others, { stored, at: performance.now() }].slice(-MAX_ENDPOINTS));
    const [oldest = ''] = this.seen.keys();
    if (this.seen.size > MAX_REMEMBERED) this.seen.delete(oldest);
  }

  receiversOf({ organization, mode }: Caller, type: string): DueReceiver[] {
    const since = performance.now() - REMEMBERED_MS;
    const receivers: DueReceiver[] = [];
    for (const owner of [organization, NO_ORGANIZATION]) {
      for (const { stored, at } of this.seen.get(nameOf(owner, { mode, type })) ?? []) {
        if (at > since) receivers.push(dueReceiver(organization, stored));
      }
    }
    return receivers;
  }
}

function nameOf(owner: string, { mode, type }: { mode: string; type: string }): string {
  return `${owner} ${mode} ${type}`;
}
