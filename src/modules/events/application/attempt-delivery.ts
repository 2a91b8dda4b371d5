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
   * Sends and records; undefined when the endpoint is closed and nothing is sent. Throws when it cannot be recorded: the
   * lease then runs out, and the delivery is due again.
   */
  async execute(claimed: ClaimedDelivery, signal: AbortSignal): Promise<(AttemptResult & Verdict) | undefined> {
    const { organization, owner, event, url, attempt, endpoint } = claimed;
    if (endpoint?.isOpen === false) {
      await this.deliveries.cancel(claimed);
      return undefined;
    }
    const secrets = endpoint?.secrets ?? (await this.secrets.of(organization));
    // An endpoint of the ledger lives in real time, whosever events it is told of.
    const caller = { organization: owner, mode: event.mode };
    const attemptedAt = await this.countedAt(caller, claimed);
    // Signed with the real time: receivers compare it with theirs.
    const at = this.clock.now();
    const told = owner === organization ? {} : { organization };
    const result = await this.receivers.send({ url, event, secrets, at, ...told }, signal);
    const verdict = verdictOn(attempt, result, attemptedAt + this.clock.now() - at);
    const { nextAttemptAt } = verdict;
    const dueAt = nextAttemptAt === null ? null : nextAttemptAt - this.callerClock.at(caller).ahead;
    await this.deliveries.finish(claimed, { ...result, ...verdict, attemptedAt, dueAt });
    await this.follow(claimed, result, attemptedAt);
    return { ...result, ...verdict };
  }

  private async follow(claimed: ClaimedDelivery, result: AttemptResult, at: number): Promise<void> {
    if (claimed.endpoint === null) return;
    const consequence = consequenceOf(isSuccess(result), claimed.endpoint.failingSince, at);
    if (consequence === 'recovered') await this.health.recovered(claimed);
    else if (consequence === 'failing') await this.health.failing(claimed, at);
    else if (consequence === 'disabled') {
      const last = result.statusCode === null ? result.error : `status ${result.statusCode}`;
      await this.health.disable(claimed, `All attempts have failed for 5 days. The last one: ${last}.`);
    }
  }

  /** Where the clock was moved past the time at which an attempt was due, it counts as made at that time. */
  private async countedAt(caller: Caller, claimed: ClaimedDelivery): Promise<number> {
    const { now, ahead } = this.callerClock.at(caller);
    if (ahead === 0) return now;
    return Math.min(now, (await this.schedule.dueAt(caller, claimed)) ?? now);
  }
}
