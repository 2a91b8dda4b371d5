import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type AttemptResult, isSuccess, type Verdict, verdictOn } from '../domain/schedule.js';
import { consequenceOf } from '../domain/webhook-endpoint.js';
import { type ClaimedDelivery, Deliveries, EndpointHealth, Receivers, SigningSecrets } from './ports.js';

@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly receivers: Receivers,
    private readonly secrets: SigningSecrets,
    private readonly health: EndpointHealth,
    private readonly clock: Clock,
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
    const at = this.clock.now();
    const told = owner === organization ? {} : { organization };
    const result = await this.receivers.send({ url, event, secrets, at, ...told }, signal);
    const verdict = verdictOn(attempt, result, this.clock.now());
    await this.deliveries.finish(claimed, at, { ...result, ...verdict });
    await this.follow(claimed, result, at);
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
}
