import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock, Clock } from '../../../shared/clock.js';
import { type AttemptResult, outcomeBefore, type Verdict, verdictOn } from '../domain/schedule.js';
import { healthAfter } from '../domain/webhook-endpoint.js';
import { DeliverySchedule } from './delivery-schedule.js';
import type { Send } from './outgoing-attempts.js';
import { type ClaimedDelivery, Deliveries, EndpointHealths, SigningSecrets } from './ports.js';

@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly schedule: DeliverySchedule,
    private readonly secrets: SigningSecrets,
    private readonly health: EndpointHealths,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {}

  /**
   * Sends the event and records the attempt. Returns undefined if the delivery ended before: then nothing is sent.
   * Throws if the attempt cannot be recorded: then the lease ends and the delivery is due again.
   */
  async execute(claimed: ClaimedDelivery, send: Send): Promise<(AttemptResult & Verdict) | undefined> {
    const { organization, owner, event, url, attempt, endpoint } = claimed;
    const ended = outcomeBefore(attempt, endpoint?.isOpen ?? true);
    if (ended) {
      await this.deliveries.end(claimed, ended);
      return undefined;
    }
    const secrets = endpoint?.secrets ?? (await this.secrets.of(organization));
    // The owner's clock applies: endpoints of the ledger follow real time, whatever organization the event is from.
    const caller = { organization: owner, mode: event.mode };
    const attemptedAt = await this.attemptTime(caller, claimed);
    // The signature has the real time, because receivers compare it with their clocks.
    const at = this.clock.now();
    const forLedger = owner === organization ? {} : { organization };
    const result = await send({ url, event, secrets, at, ...forLedger });
    const verdict = verdictOn(attempt, result, attemptedAt + this.clock.now() - at);
    const { nextAttemptAt } = verdict;
    const dueAt = nextAttemptAt === null ? null : nextAttemptAt - (await this.callerClock.at(caller)).ahead;
    await this.deliveries.finish(claimed, { ...result, ...verdict, attemptedAt, dueAt });
    const health = endpoint && healthAfter(result, endpoint.failingSince, attemptedAt);
    if (health) await this.health.record(claimed, health);
    return { ...result, ...verdict };
  }

  /** An attempt that became due because the clock was moved past its due time counts as made at its due time. */
  private async attemptTime(caller: Caller, claimed: ClaimedDelivery): Promise<number> {
    const { now, ahead } = await this.callerClock.at(caller);
    if (ahead === 0) return now;
    return Math.min(now, (await this.schedule.dueAt(caller, claimed)) ?? now);
  }
}
