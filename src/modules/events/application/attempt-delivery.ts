import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type AttemptResult, type Verdict, verdictOn } from '../domain/schedule.js';
import { type ClaimedDelivery, Deliveries, Receivers, SigningSecrets } from './ports.js';

@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly receivers: Receivers,
    private readonly secrets: SigningSecrets,
    private readonly clock: Clock,
  ) {}

  /** Sends and records. Throws when it cannot be recorded: the lease then runs out, and the delivery is due again. */
  async execute(claimed: ClaimedDelivery, signal: AbortSignal): Promise<AttemptResult & Verdict> {
    const { organization, event, url, attempt } = claimed;
    const secrets = await this.secrets.of(organization);
    const at = this.clock.now();
    const result = await this.receivers.send({ url, event, secrets, at }, signal);
    const verdict = verdictOn(attempt, result, this.clock.now());
    await this.deliveries.finish(claimed, at, { ...result, ...verdict });
    return { ...result, ...verdict };
  }
}
