import type { Caller } from '../../../shared/caller.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import { type DueReceiver, dueReceiver } from '../domain/receiver.js';
import { MAX_ENDPOINTS } from '../domain/webhook-endpoint.js';
import type { ClaimedDelivery } from './ports.js';

/** The number applies to each organization. A later poll finds the other receivers. */
const MAX_DUE = 2_000;
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

interface Seen {
  readonly stored: string;
  /** This is a monotonic time, in milliseconds. */
  readonly at: number;
}

/**
 * Keeps the receivers with due deliveries, as far as this process knows. A poll adds the receivers
 * that it finds. The class also remembers which receivers got events of a type, so that the next
 * such event is claimed for them right after its commit.
 */
export class DueReceivers {
  private readonly due = new Map<string, Map<string, DueReceiver>>();
  /**
   * These are the receivers that got an event, by owner, mode and type. The last one is at the end.
   */
  private readonly seen = new Map<string, readonly Seen[]>();

  /** Returns all receivers, in the order in which they were added. */
  all(): DueReceiver[] {
    return [...this.due.values()].flatMap((receivers) => [...receivers.values()]);
  }

  add(one: DueReceiver): void {
    const due = this.due.get(one.organization) ?? new Map<string, DueReceiver>();
    if (due.size < MAX_DUE) due.set(one.stored, one);
    this.due.set(one.organization, due);
  }

  remove({ organization, stored }: DueReceiver): void {
    const due = this.due.get(organization);
    due?.delete(stored);
    if (due?.size === 0) this.due.delete(organization);
  }

  /** Remembers the receiver of an endpoint. An organization without endpoints costs nothing. */
  remember({ owner, stored, event, endpoint }: ClaimedDelivery): void {
    if (endpoint === null) return;
    const name = nameOf(owner, event);
    const others = (this.seen.get(name) ?? []).filter((one) => one.stored !== stored);
    this.seen.delete(name);
    this.seen.set(name, [...others, { stored, at: performance.now() }].slice(-MAX_ENDPOINTS));
    const [oldest = ''] = this.seen.keys();
    if (this.seen.size > MAX_REMEMBERED) this.seen.delete(oldest);
  }

  /** Returns the receivers that an event of this type, which was just committed, is due for. */
  expectedFor({ organization, mode }: Caller, type: string): DueReceiver[] {
    const since = performance.now() - REMEMBERED_MS;
    const seen = [organization, NO_ORGANIZATION].flatMap(
      (owner) => this.seen.get(nameOf(owner, { mode, type })) ?? [],
    );
    const recent = seen.filter(({ at }) => at > since);
    return recent.map(({ stored }) => dueReceiver(organization, stored));
  }
}

function nameOf(owner: string, { mode, type }: { mode: string; type: string }): string {
  return `${owner} ${mode} ${type}`;
}
