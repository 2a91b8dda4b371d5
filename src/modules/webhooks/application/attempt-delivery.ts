import { Injectable } from '@nestjs/common';
import { CallerClock, Clock } from '../../../shared/clock.js';
import { createdInstant } from '../../../shared/id.js';
import { outcomeBefore, verdictOn } from '../domain/schedule.js';
import { healthAfter } from '../domain/webhook-endpoint.js';
import type { Send } from './outgoing-attempts.js';
import { type ClaimedDelivery, DeliveryQueue, WebhookEndpoints } from './ports.js';

@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly endpoints: WebhookEndpoints,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {}

  /**
   * Sends the event and records the attempt, unless the delivery ended before. Throws if the
   * attempt cannot be recorded: then the lease ends and the delivery is due again.
   */
  async execute(claimed: ClaimedDelivery, send: Send): Promise<void> {
    const { organization, owner, event, url, attempt, dueAt, secrets, endpoint } = claimed;
    const ended = outcomeBefore(attempt, endpoint?.enabled ?? true);
    if (ended) return this.queue.end(claimed, ended);
    // The owner's clock applies: endpoints of the ledger follow real time, whatever organization
    // the event is from.
    const caller = { organization: owner, mode: event.mode };
    const { now, ahead } = await this.callerClock.at(caller);
    // An attempt that became due because the clock was moved counts as made at its due time.
    const wasDue = dueAt === null ? createdInstant(event.id) : dueAt + ahead;
    const attemptedAt = ahead === 0 ? now : Math.min(now, wasDue);
    // The signature has the real time, because receivers compare it with their clocks.
    const at = this.clock.now();
    const forLedger = owner === organization ? {} : { organization };
    const result = await send({ url, event, secrets, at, ...forLedger });
    const verdict = verdictOn(attempt, result, attemptedAt + this.clock.now() - at);
    const { nextAttemptAt } = verdict;
    const nextDueAt =
      nextAttemptAt === null ? null : nextAttemptAt - (await this.callerClock.at(caller)).ahead;
    await this.queue.finish(claimed, { ...result, ...verdict, attemptedAt, dueAt: nextDueAt });
    const health = endpoint && healthAfter(result, endpoint.failingSince, attemptedAt);
    if (health) await this.endpoints.recordHealth(caller, endpoint, health);
  }
}
