import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import type { WebhookEndpoint, WebhookEndpointChange } from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

@Injectable()
export class ChangeWebhookEndpoint {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly urls: WebhookUrls,
  ) {}

  /** Refuses with not_found, or with invalid_param for a URL that WebhookUrls does not allow. */
  async execute(caller: Caller, id: string, change: WebhookEndpointChange): Promise<Decision<WebhookEndpoint>> {
    return inTransaction(caller, async () => {
      const endpoint = (await this.endpoints.lock(caller, id)).change(change, this.urls);
      return decided(endpoint, this.endpoints.change(caller, endpoint));
    });
  }
}
