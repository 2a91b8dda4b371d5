import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import type { NewEvent } from '../../events/index.js';
import { type DueReceiver, dueReceiver, nameOf, ReceiverHealth, storedReceiver } from '../domain/receiver.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { DueReceivers } from './due-receivers.js';
import { KnownEndpoints } from './known-endpoints.js';
import { MOST_AT_ONCE, OutgoingAttempts } from './outgoing-attempts.js';
import { type ClaimedDelivery, Deliveries, type Share } from './ports.js';
import { shareAttempts } from './share-attempts.js';

const FAILING_AT_ONCE = 64;
/** If all MOST_AT_ONCE attempts are under way and deliveries wait, attempts that are older than this are ended. */
const MIN_ATTEMPT_MS = 2_500;
/** Longer than an attempt and its recording can take: a lease only ends if its process has died. */
const LEASE_MS = 60_000;
/** Between two rounds. Attempts that finish in this time are replaced by one statement instead of many. */
const PAUSE_MS = 3;
const IDLE_PAUSE_MS = 10;
/** Organizations that are polled or claimed for at once, because each needs a connection. */
const ORGANIZATIONS_AT_ONCE = 4;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Starts due deliveries. It polls for receivers, not for deliveries, so that no receiver's backlog hides another's. */
@Injectable()
export class WebhookScheduler {
  private readonly health = new ReceiverHealth();
  private readonly endpoints = new KnownEndpoints();
  private readonly due = new DueReceivers();
  private nextOrganization: string | undefined;
  private readonly nextReceiver = new Map<string, string>();
  private starting: Promise<void> | undefined;
  private isWanted = false;
  private isServing = false;
  private readonly report = (error: unknown) => this.deliveries.report(error);

  constructor(
    private readonly deliveries: Deliveries,
    private readonly attempt: AttemptDelivery,
    private readonly underWay: OutgoingAttempts,
    private readonly clock: Clock,
  ) {}

  /** Before this call, and in commands, nothing is delivered. */
  serve(): void {
    this.isServing = true;
  }

  async poll(): Promise<void> {
    if (!this.isServing) return;
    const { found, next } = await this.deliveries.organizations(this.nextOrganization);
    this.nextOrganization = next;
    await this.forEach(found, (organization) => this.pollReceivers(organization));
    await this.startDue();
  }

  /** To be called after the commit of an event. */
  recorded(caller: Caller, { type, notifyUrl }: NewEvent): void {
    const known = this.endpoints.receiversOf(caller, type);
    this.wake(notifyUrl === null ? known : [...known, dueReceiver(caller.organization, storedReceiver(notifyUrl))]);
  }

  /** To be called after a commit, so that the attempts do not wait for the next poll. */
  wake(receivers: readonly DueReceiver[]): void {
    if (!this.isServing || receivers.length === 0) return;
    for (const due of receivers) this.due.add(due);
    this.startDue().catch(this.report);
  }

  /** Attempts the due deliveries of a caller whose clock was moved, until none is due or under way, or for `maxMs` at most. */
  async deliver(caller: Caller, maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while (performance.now() < until && !(await this.deliveries.isIdle(caller))) {
      await this.pollReceivers(caller.organization);
      await this.startDue();
      await pause(IDLE_PAUSE_MS);
    }
  }

  async idle(): Promise<void> {
    while (this.starting || this.underWay.size > 0) await Promise.all([this.starting, this.underWay.idle()]);
  }

  /** Starts no more attempts, and ends those that take longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.isServing = false;
    const timer = setTimeout(() => {
      this.underWay.endAll(new Error('The service was stopped during the attempt.'));
    }, graceMs);
    await this.idle();
    clearTimeout(timer);
  }

  private async pollReceivers(organization: string): Promise<void> {
    const now = this.clock.now();
    const { found, next } = await this.deliveries.due(organization, this.nextReceiver.get(organization), now);
    if (next === undefined) this.nextReceiver.delete(organization);
    else this.nextReceiver.set(organization, next);
    for (const one of found) this.due.add(one);
  }

  /** Only one round runs at a time. A call during a round adds another round. */
  private async startDue(): Promise<void> {
    this.isWanted = true;
    this.starting ??= this.startAll().finally(() => {
      this.starting = undefined;
    });
    await this.starting;
  }

  private async startAll(): Promise<void> {
    while (this.isWanted && this.isServing) {
      this.isWanted = false;
      while ((await this.startSome()) > 0) await pause(PAUSE_MS);
    }
  }

  private async startSome(): Promise<number> {
    const due = this.isServing ? this.due.all() : [];
    if (due.length === 0) return 0;
    const { shares, waiting } = shareAttempts(due, {
      room: MOST_AT_ONCE - this.underWay.size,
      failingRoom: FAILING_AT_ONCE - this.underWay.failing,
      underWay: (ownerOrName) => this.underWay.count(ownerOrName),
      isFailing: (one) => this.health.isFailing(nameOf(one)),
      atOnce: (one) => this.health.atOnce(nameOf(one)),
    });
    const reason = new Error(`No response within ${MIN_ATTEMPT_MS} ms, while other deliveries waited.`);
    if (waiting > 0) this.underWay.endLongest(waiting, MIN_ATTEMPT_MS, reason);
    const byOrganization = Map.groupBy(shares, ({ due }) => due.organization);
    await this.forEach([...byOrganization], ([organization, own]) => this.claim(organization, own));
    return shares.length;
  }

  private async claim(organization: string, shares: readonly Share[]): Promise<void> {
    const now = this.clock.now();
    // Before the claim: a delivery that is committed during the claim adds its receiver again.
    for (const { due } of shares) this.due.remove(due);
    const claimed = await this.deliveries.claim(organization, shares, now, now + LEASE_MS);
    for (const { due, take } of shares) {
      if (claimed.filter(({ stored }) => stored === due.stored).length === take) this.due.add(due);
    }
    for (const delivery of claimed) {
      this.endpoints.learn(delivery);
      this.start(delivery);
    }
  }

  private start(delivery: ClaimedDelivery): void {
    const name = nameOf(delivery);
    this.underWay
      .deliver(delivery, this.health.isFailing(name), async (send) => {
        const result = await this.attempt.execute(delivery, send);
        if (result) this.health.record(name, result.statusCode !== null);
      })
      .catch(this.report)
      .then(() => this.startDue())
      .catch(this.report);
  }

  /** An organization whose work fails keeps no other. The next poll finds its deliveries again. */
  private async forEach<One>(organizations: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
    const left = organizations.values();
    const some = Array.from({ length: ORGANIZATIONS_AT_ONCE }, async () => {
      for (const organization of left) await work(organization).catch(this.report);
    });
    await Promise.all(some);
  }
}
