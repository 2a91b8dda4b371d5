import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';
import type { WithSecret } from './create-webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

@Injectable()
export class RotateEndpointSecret {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly clock: CallerClock,
  ) {}

  /** The previous secret also signs for the overlap. An older one stops at once. Refuses with not_found. */
  async execute(caller: Caller, id: string, overlapSeconds: number): Promise<Decision<WithSecret>> {
    return inTransaction(caller, async () => {
      const endpoint = await this.endpoints.lock(caller, id);
      const secret = newWebhookSecret();
      const previousExpiresAt = (await this.clock.at(caller)).now + overlapSeconds * 1000;
      return decided({ endpoint, secret }, this.endpoints.rotateSecret(caller, id, secret, previousExpiresAt));
    });
  }
}
