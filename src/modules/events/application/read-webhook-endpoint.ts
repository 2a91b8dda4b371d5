import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

@Injectable()
export class ReadWebhookEndpoint {
  constructor(private readonly endpoints: WebhookEndpoints) {}

  /** Refuses with not_found. */
  async execute(caller: Caller, id: string): Promise<WebhookEndpoint> {
    return this.endpoints.get(caller, id);
  }
}
