import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { isSuccess, verdictOn } from '../domain/schedule.js';
import { type ClaimedDelivery, Deliveries, type DueDelivery, Receivers, SigningSecrets } from './ports.js';

/** Attempts at once: enough to keep a healthy receiver busy, and one at a time to ask a failing one how it is. */
const PER_RECEIVER = 4;
const PER_FAILING_RECEIVER = 1;
const AT_ONCE = 64;
/** Looked at in one go, so that a receiver with many due deliveries does not hide the others behind it. */
const WINDOW = 256;
/** Longer than an attempt with its bookkeeping can take: then its process must have died. */
const LEASE_MS = 60_000;

/** Sends what is due, to every receiver at its own pace: a slow or dead one delays nobody else. */
@Injectable()
export class DeliverWebhooks {
  private readonly logger = new Logger(DeliverWebhooks.name);
  private readonly stopped = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly inFlight = new Map<string, number>();
  private readonly failing = new Set<string>();
  private looking: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly receivers: Receivers,
    private readonly secrets: SigningSecrets,
    private readonly clock: Clock,
  ) {}

  /** Starts everything that is due and has room. One look at a time: a call during a look makes it look again. */
  async startDue(): Promise<void> {
    if (this.isStopping) return;
    this.isWanted = true;
    this.looking ??= this.look();
    await this.looking;
  }

  /** Resolves when nothing that was started is still under way. */
  async idle(): Promise<void> {
    while (this.looking || this.running.size > 0) await Promise.all([this.looking, ...this.running]);
  }

  /** Starts nothing more and gives what is under way so many milliseconds. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const timer = setTimeout(() => this.stopped.abort(), graceMs);
    await this.idle();
    clearTimeout(timer);
    this.stopped.abort();
  }

  private async look(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        while ((await this.startSome()) > 0);
      }
    } finally {
      this.looking = undefined;
    }
  }

  private async startSome(): Promise<number> {
    if (this.isStopping || this.running.size >= AT_ONCE) return 0;
    const now = this.clock.now();
    const full = [...this.inFlight.keys()].filter((receiver) => this.roomAt(receiver) === 0);
    const chosen = this.choose(await this.deliveries.due(now, full, WINDOW));
    if (chosen.length === 0) return 0;
    const claimed = await this.deliveries.claim(chosen, now, now + LEASE_MS);
    for (const delivery of claimed) this.start(delivery);
    return claimed.length;
  }

  private choose(due: readonly DueDelivery[]): DueDelivery[] {
    const chosen: DueDelivery[] = [];
    const room = new Map<string, number>();
    for (const delivery of due) {
      const left = room.get(delivery.receiver) ?? this.roomAt(delivery.receiver);
      if (left <= 0) continue;
      if (this.running.size + chosen.length >= AT_ONCE) break;
      room.set(delivery.receiver, left - 1);
      chosen.push(delivery);
    }
    return chosen;
  }

  private roomAt(receiver: string): number {
    const limit = this.failing.has(receiver) ? PER_FAILING_RECEIVER : PER_RECEIVER;
    return Math.max(0, limit - (this.inFlight.get(receiver) ?? 0));
  }

  private start(delivery: ClaimedDelivery): void {
    const { receiver } = delivery;
    const warn = (error: unknown) => this.logger.warn(error);
    this.inFlight.set(receiver, (this.inFlight.get(receiver) ?? 0) + 1);
    const done = this.attempt(delivery)
      // Not recorded, so not done: the lease runs out and the delivery is due again.
      .catch(warn)
      .finally(() => {
        this.running.delete(done);
        this.free(receiver);
        this.startDue().catch(warn);
      });
    this.running.add(done);
  }

  private free(receiver: string): void {
    const left = (this.inFlight.get(receiver) ?? 1) - 1;
    if (left === 0) this.inFlight.delete(receiver);
    else this.inFlight.set(receiver, left);
  }

  private async attempt(delivery: ClaimedDelivery): Promise<void> {
    const { organization, event, url, receiver, attempt } = delivery;
    const secrets = await this.secrets.of(organization);
    const at = this.clock.now();
    const result = await this.receivers.send({ url, event, secrets, at }, this.stopped.signal);
    if (isSuccess(result)) this.failing.delete(receiver);
    else this.failing.add(receiver);
    const verdict = verdictOn(attempt, result, this.clock.now());
    await this.deliveries.finish(delivery, at, { ...result, ...verdict });
  }
}
