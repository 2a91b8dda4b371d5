import { Injectable } from '@nestjs/common';
import { CallbackUrls } from '../../../shared/callback-urls.js';
import type { Unit } from '../../../shared/unit.js';
import { newWebhookSecret } from '../../access/index.js';
import {
  changedEndpoint,
  type NewWebhookEndpoint,
  newEndpoint,
  type WantedEndpoint,
  type WebhookEndpoint,
} from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

export interface WithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/**
 * Each method but the first refuses with not_found. A URL that CallbackUrls does not allow is
 * refused with invalid_param.
 */
@Injectable()
export class ManageWebhookEndpoints {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly urls: CallbackUrls,
  ) {}

  /** Creates an endpoint. Refuses with webhook_endpoint_limit. */
  async create(unit: Unit, input: NewWebhookEndpoint): Promise<WithSecret> {
    const endpoint = newEndpoint(input, await this.endpoints.all(unit), unit.mode, unit, this.urls);
    const secret = newWebhookSecret();
    this.endpoints.add(unit, endpoint, secret);
    return { endpoint, secret };
  }

  async change(unit: Unit, id: string, change: WantedEndpoint): Promise<WebhookEndpoint> {
    const endpoint = changedEndpoint(await this.endpoints.lock(unit, id), change, this.urls);
    this.endpoints.change(unit, endpoint);
    return endpoint;
  }

  /** Deletes an endpoint. Its unfinished deliveries are canceled when they are next due. */
  async delete(unit: Unit, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.lock(unit, id);
    this.endpoints.remove(unit, id);
    return endpoint;
  }

  /**
   * Issues a new secret. The previous secret also signs for the overlap; an older one stops at
   * once.
   */
  async rotateSecret(unit: Unit, id: string, overlapSeconds: number): Promise<WithSecret> {
    const endpoint = await this.endpoints.lock(unit, id);
    const secret = newWebhookSecret();
    this.endpoints.rotateSecret(unit, id, secret, unit.now + overlapSeconds * 1000);
    return { endpoint, secret };
  }
}
