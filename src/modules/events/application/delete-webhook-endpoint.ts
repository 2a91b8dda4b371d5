import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

@Injectable()
export class DeleteWebhookEndpoint {
  constructor(private readonly endpoints: WebhookEndpoints) {}

  /** Unfinished deliveries to the endpoint are canceled when they are next due. Refuses with not_found. */
  async execute(caller: Caller, id: string): Promise<Decision<WebhookEndpoint>> {
    return inTransaction(caller, async () => {
      const endpoint = await this.endpoints.lock(caller, id);
      return decided(endpoint, this.endpoints.remove(caller, id));
    });
  }
}
