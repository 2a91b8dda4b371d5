import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type DueReceiver, nameOf, ReceiverHealth } from '../domain/receiver.js';
import { isSuccess } from '../domain/schedule.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { DueReceivers } from './due-receivers.js';
import { inGroups, pause } from './in-groups.js';
import { KnownEndpoints } from './known-endpoints.js';
import { MOST_AT_ONCE, OutgoingAttempts, type Send } from './outgoing-attempts.js';
import { type ClaimedDelivery, Deliveries, DeliveryLog, type Share } from './ports.js';
import { shareAttempts } from './share-attempts.js';

const FAILING_AT_ONCE = 64;
/** If all MOST_AT_ONCE attempts are under way and deliveries wait, attempts that are older than this are ended. */
const MIN_ATTEMPT_MS = 2_500;
/** Longer than an attempt and its recording can take: a lease only ends if its process has died. */
const LEASE_MS = 60_000;
/** Pages of receivers in one poll of an organization. */
const PAGES = 8;
/** Between two rounds. Attempts that finish in this time are replaced by one statement instead of many. */
const PAUSE_MS = 3;

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
  private isStopping = false;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly attempt: AttemptDelivery,
    private readonly underWay: OutgoingAttempts,
    private readonly log: DeliveryLog,
    private readonly clock: Clock,
  ) {}

  /** Polls every organization, and starts due deliveries as far as there is room. */
  async poll(): Promise<void> {
    if (this.isStopping) return;
    const { found, next } = await this.deliveries.organizations(this.nextOrganization);
    this.nextOrganization = next;
    try {
      await inGroups(found, async (organization) => {
        for (let page = 0; page < PAGES && (await this.pollPage(organization)); page++);
      });
    } finally {
      await this.startDue();
    }
  }

  async wake(due: DueReceiver): Promise<void> {
    this.remember(due);
    await this.startDue();
  }

  /** The same for a requested resend: a resting receiver is tried at once. */
  async wakeResting(due: DueReceiver): Promise<void> {
    this.health.forget(nameOf(due));
    await this.wake(due);
  }

  /** The same for the endpoints that are known to subscribe to the type, if any. */
  async wakeEndpoints(caller: Caller, type: string): Promise<void> {
    const known = this.endpoints.receiversOf(caller, type);
    if (known.length === 0) return;
    for (const due of known) this.remember(due);
    await this.startDue();
  }

  /** Polls an organization whose clock was moved: its resting receivers are tried at once. */
  async pollAfterClock(organization: string): Promise<void> {
    this.health.forgetAll(`${organization} `);
    await this.pollPage(organization);
    await this.startDue();
  }

  async idle(): Promise<void> {
    while (this.starting || this.underWay.size > 0) await Promise.all([this.starting, this.underWay.idle()]);
  }

  /** Starts no more attempts, and ends those that take longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const timer = setTimeout(() => {
      this.underWay.endAll(new Error('The service was stopped during the attempt.'));
    }, graceMs);
    await this.idle();
    clearTimeout(timer);
  }

  /** Polls one page of receivers from where the last one ended. Returns whether there are more. */
  private async pollPage(organization: string): Promise<boolean> {
    const now = this.clock.now();
    const { found, next } = await this.deliveries.due(organization, this.nextReceiver.get(organization), now);
    if (next === undefined) this.nextReceiver.delete(organization);
    else this.nextReceiver.set(organization, next);
    for (const one of found) this.remember(one);
    return next !== undefined;
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
    while (this.isWanted && !this.isStopping) {
      this.isWanted = false;
      while ((await this.startSome()) > 0) await pause(PAUSE_MS);
    }
  }

  private async startSome(): Promise<number> {
    const due = this.isStopping ? [] : this.due.all();
    if (due.length === 0) return 0;
    const { shares, waiting } = this.share(due);
    if (waiting.length > 0) {
      const reason = new Error(`No response within ${MIN_ATTEMPT_MS} ms, while other deliveries waited.`);
      this.underWay.endLongest(waiting.length, MIN_ATTEMPT_MS, reason);
    }
    const organizations = [...new Set(shares.map(({ due }) => due.organization))];
    await inGroups(organizations, (organization) =>
      this.claim(
        organization,
        shares.filter(({ due }) => due.organization === organization),
      ),
    );
    return shares.length;
  }

  private share(due: readonly DueReceiver[]) {
    for (const one of due) if (this.atOnce(one) === 0) this.due.remove(one);
    return shareAttempts(due, {
      room: MOST_AT_ONCE - this.underWay.size,
      failingRoom: FAILING_AT_ONCE - this.underWay.failingSize,
      ofOwner: (owner) => this.underWay.ofOwner(owner),
      ofReceiver: (one) => this.underWay.ofReceiver(one),
      isFailing: (one) => this.health.isFailing(nameOf(one)),
      atOnce: (one) => this.atOnce(one),
    });
  }

  private atOnce(one: DueReceiver): number {
    return this.health.atOnce(nameOf(one), this.clock.now());
  }

  private async claim(organization: string, shares: readonly Share[]): Promise<void> {
    const now = this.clock.now();
    // Before the claim: a delivery that is committed during the claim adds its receiver again.
    for (const { due } of shares) this.due.remove(due);
    // An organization whose claim fails keeps no other. The next poll finds its deliveries again.
    const claimed = await this.deliveries.claim(organization, shares, now, now + LEASE_MS).catch((error: unknown) => {
      this.log.broke(error);
      return [];
    });
    for (const { due, take } of shares) {
      const got = claimed.filter(({ stored }) => stored === due.stored).length;
      if (got === take) this.remember(due);
    }
    for (const delivery of claimed) {
      this.endpoints.learn(delivery);
      this.start(delivery);
    }
  }

  private remember(one: DueReceiver): void {
    if (this.atOnce(one) > 0) this.due.add(one);
  }

  private start(delivery: ClaimedDelivery): void {
    const isFailing = this.health.isFailing(nameOf(delivery));
    const report = (error: unknown) => this.log.broke(error);
    this.underWay
      .deliver(delivery, isFailing, (send) => this.make(delivery, send))
      .catch(report)
      .then(() => this.startDue())
      .catch(report);
  }

  private async make(delivery: ClaimedDelivery, send: Send): Promise<void> {
    const result = await this.attempt.execute(delivery, send);
    if (!result) return;
    this.health.record(nameOf(delivery), result.statusCode !== null, this.clock.now());
    if (!isSuccess(result)) this.log.failed(delivery, result);
  }
}
