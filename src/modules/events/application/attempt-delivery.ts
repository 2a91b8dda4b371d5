import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock, Clock } from '../../../shared/clock.js';
import { type AttemptResult, isSuccess, type Verdict, verdictOn } from '../domain/schedule.js';
import { consequenceOf } from '../domain/webhook-endpoint.js';
import { DeliverySchedule } from './delivery-schedule.js';
import { type ClaimedDelivery, Deliveries, EndpointHealth, Receivers, SigningSecrets } from './ports.js';

@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly schedule: DeliverySchedule,
    private readonly receivers: Receivers,
    private readonly secrets: SigningSecrets,
    private readonly health: EndpointHealth,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {}

  /**
   * Sends the event and records the attempt. Returns undefined if the endpoint is deleted or disabled: then nothing is sent.
   * Throws if the attempt cannot be recorded: then the lease ends and the delivery is due again.
   */
  async execute(claimed: ClaimedDelivery, signal: AbortSignal): Promise<(AttemptResult & Verdict) | undefined> {
    const { organization, owner, event, url, attempt, endpoint } = claimed;
    if (endpoint?.isOpen === false) {
      await this.deliveries.cancel(claimed);
      return undefined;
    }
    const secrets = endpoint?.secrets ?? (await this.secrets.of(organization));
    // The owner's clock applies: endpoints of the ledger follow real time, whatever organization the event is from.
    const caller = { organization: owner, mode: event.mode };
    const attemptedAt = await this.attemptTime(caller, claimed);
    // The signature has the real time, because receivers compare it with their clocks.
    const at = this.clock.now();
    const forLedger = owner === organization ? {} : { organization };
    const result = await this.receivers.send({ url, event, secrets, at, ...forLedger }, signal);
    const verdict = verdictOn(attempt, result, attemptedAt + this.clock.now() - at);
    const { nextAttemptAt } = verdict;
    const dueAt = nextAttemptAt === null ? null : nextAttemptAt - this.callerClock.at(caller).ahead;
    await this.deliveries.finish(claimed, { ...result, ...verdict, attemptedAt, dueAt });
    await this.updateHealth(claimed, result, attemptedAt);
    return { ...result, ...verdict };
  }

  private async updateHealth(claimed: ClaimedDelivery, result: AttemptResult, at: number): Promise<void> {
    if (claimed.endpoint === null) return;
    const consequence = consequenceOf(isSuccess(result), claimed.endpoint.failingSince, at);
    if (consequence === 'recovered') await this.health.recovered(claimed);
    else if (consequence === 'failing') await this.health.failing(claimed, at);
    else if (consequence === 'disabled') {
      const last = result.statusCode === null ? result.error : `status ${result.statusCode}`;
      await this.health.disable(claimed, `All attempts have failed for 5 days. The last one: ${last}.`);
    }
  }

  /** An attempt that became due because the clock was moved past its due time counts as made at its due time. */
  private async attemptTime(caller: Caller, claimed: ClaimedDelivery): Promise<number> {
    const { now, ahead } = this.callerClock.at(caller);
    if (ahead === 0) return now;
    return Math.min(now, (await this.schedule.dueAt(caller, claimed)) ?? now);
  }
}
