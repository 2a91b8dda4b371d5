import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import { type NewWebhookEndpoint, WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

export interface WithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

@Injectable()
export class CreateWebhookEndpoint {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly clock: CallerClock,
    private readonly urls: WebhookUrls,
  ) {}

  /** Refuses with webhook_endpoint_limit, or with invalid_param for a URL that WebhookUrls does not allow. */
  async execute(caller: Caller, input: NewWebhookEndpoint): Promise<Decision<WithSecret>> {
    const others = await this.endpoints.all(caller);
    const endpoint = WebhookEndpoint.create(input, others, caller.mode, await this.clock.at(caller), this.urls);
    const secret = newWebhookSecret();
    return decided({ endpoint, secret }, this.endpoints.add(caller, endpoint, secret));
  }
}
