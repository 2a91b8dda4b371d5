import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Page, type PageRequest, pageOf } from '../../../shared/page.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

@Injectable()
export class ListWebhookEndpoints {
  constructor(private readonly endpoints: WebhookEndpoints) {}

  async execute(caller: Caller, { cursor, limit }: PageRequest): Promise<Page<WebhookEndpoint>> {
    const all = await this.endpoints.all(caller);
    return pageOf(
      all.filter(({ state }) => cursor === undefined || state.id < cursor),
      limit,
    );
  }
}
