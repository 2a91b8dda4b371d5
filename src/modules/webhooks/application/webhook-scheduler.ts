import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { CoalescedRuns } from '../../../shared/coalesced-runs.js';
import type { NewEvent } from '../../events/index.js';
import { type DueReceiver, dueReceiver, storedReceiver } from '../domain/receiver.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { DueReceivers } from './due-receivers.js';
import { OutgoingAttempts } from './outgoing-attempts.js';
import { type ClaimedDelivery, DeliveryQueue, type Share } from './ports.js';
import { shareAttempts } from './share-attempts.js';

/**
 * The lease is longer than an attempt and its recording can take, so it ends only if the process
 * has died or could not record the attempt.
 */
const LEASE_MS = 60_000;
/**
 * The scheduler pauses between two rounds, so that attempts that finish in this time are replaced
 * by one statement instead of many.
 */
const PAUSE_MS = 3;
const IDLE_PAUSE_MS = 10;
/** So many organizations are polled or claimed for at once, because each needs a connection. */
const ORGANIZATIONS_AT_ONCE = 4;

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts due deliveries. It polls for receivers, not for deliveries, so that no receiver's backlog
 * hides another's.
 */
@Injectable()
export class WebhookScheduler {
  private readonly due = new DueReceivers();
  private nextOrganization: string | undefined;
  private readonly nextReceiver = new Map<string, string>();
  private readonly rounds = new CoalescedRuns(() => this.startAll());
  private isServing = false;
  private readonly report = (error: unknown) => this.queue.report(error);

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempt: AttemptDelivery,
    private readonly outgoing: OutgoingAttempts,
    private readonly clock: Clock,
  ) {}

  /** Starts to deliver. Before this call, and in commands, nothing is delivered. */
  serve(): void {
    this.isServing = true;
  }

  async poll(): Promise<void> {
    if (!this.isServing) return;
    const { found, next } = await this.queue.organizations(this.nextOrganization);
    this.nextOrganization = next;
    await this.forEach(found, (organization) => this.pollReceivers(organization));
    await this.rounds.next();
  }

  /** Prepares attempts of an event. It is to be called after the commit of the event. */
  recorded(caller: Caller, { type, notifyUrl }: NewEvent): void {
    const known = this.due.expectedFor(caller, type);
    this.wake(
      notifyUrl === null
        ? known
        : [...known, dueReceiver(caller.organization, storedReceiver(notifyUrl))],
    );
  }

  /**
   * Adds receivers. It is to be called after a commit, so that the attempts do not wait for the
   * next poll.
   */
  wake(receivers: readonly DueReceiver[]): void {
    if (!this.isServing || receivers.length === 0) return;
    for (const due of receivers) this.due.add(due);
    this.rounds.next().catch(this.report);
  }

  /**
   * Attempts the due deliveries of a caller whose clock was moved, until none is due or under way,
   * or for `maxMs` at most.
   */
  async deliver(caller: Caller, maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while (performance.now() < until && !(await this.queue.isIdle(caller))) {
      await this.pollReceivers(caller.organization);
      await this.rounds.next();
      await pause(IDLE_PAUSE_MS);
    }
  }

  async idle(): Promise<void> {
    do {
      await this.outgoing.idle();
      await this.rounds.next();
    } while (this.outgoing.size > 0);
  }

  /** Starts no more attempts, and ends those that take longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.isServing = false;
    const timer = setTimeout(() => {
      this.outgoing.endAll(new Error('The service was stopped during the attempt.'));
    }, graceMs);
    await this.idle();
    clearTimeout(timer);
  }

  private async pollReceivers(organization: string): Promise<void> {
    const now = this.clock.now();
    const { found, next } = await this.queue.due(
      organization,
      this.nextReceiver.get(organization),
      now,
    );
    if (next === undefined) this.nextReceiver.delete(organization);
    else this.nextReceiver.set(organization, next);
    for (const one of found) this.due.add(one);
  }

  private async startAll(): Promise<void> {
    while ((await this.startSome()) > 0) await pause(PAUSE_MS);
  }

  private async startSome(): Promise<number> {
    const due = this.isServing ? this.due.all() : [];
    if (due.length === 0) return 0;
    const { shares, waiting } = shareAttempts(due, this.outgoing);
    if (waiting > 0) this.outgoing.endLongest(waiting);
    const byOrganization = Map.groupBy(shares, ({ due }) => due.organization);
    await this.forEach([...byOrganization], ([organization, own]) => this.claim(organization, own));
    return shares.length;
  }

  private async claim(organization: string, shares: readonly Share[]): Promise<void> {
    const now = this.clock.now();
    // The receivers are removed before the claim, because a delivery that is committed during the
    // claim adds its receiver again.
    for (const { due } of shares) this.due.remove(due);
    const claimed = await this.queue.claim(organization, shares, now, now + LEASE_MS);
    for (const { due, take } of shares) {
      if (claimed.filter(({ stored }) => stored === due.stored).length === take) this.due.add(due);
    }
    for (const delivery of claimed) {
      this.due.remember(delivery);
      this.start(delivery);
    }
  }

  private start(delivery: ClaimedDelivery): void {
    this.outgoing
      .deliver(delivery, (send) => this.attempt.execute(delivery, send))
      .catch(this.report)
      .then(() => this.rounds.next())
      .catch(this.report);
  }

  /**
   * Works for each organization. One whose work fails keeps no other from its work, and the next
   * poll finds its deliveries again.
   */
  private async forEach<One>(
    organizations: readonly One[],
    work: (one: One) => Promise<void>,
  ): Promise<void> {
    const left = organizations.values();
    const some = Array.from({ length: ORGANIZATIONS_AT_ONCE }, async () => {
      for (const organization of left) await work(organization).catch(this.report);
    });
    await Promise.all(some);
  }
}
