import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { NO_ORGANIZATION, newId } from '../../../shared/id.js';
import type { Unit } from '../../../shared/unit.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import { EVENT_ID } from '../../events/index.js';
import { dueReceiver, storedReceiver } from '../domain/receiver.js';
import {
  changedEndpoint,
  type NewWebhookEndpoint,
  newEndpoint,
  type WantedEndpoint,
  type WebhookEndpoint,
} from '../domain/webhook-endpoint.js';
import { OutgoingAttempts } from './outgoing-attempts.js';
import { type Attempt, WebhookEndpoints } from './ports.js';

export interface WithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** Each method but the first refuses with not_found. A URL that WebhookUrls does not allow is refused with invalid_param. */
@Injectable()
export class ManageWebhookEndpoints {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly attempts: OutgoingAttempts,
    private readonly clock: CallerClock,
    private readonly urls: WebhookUrls,
  ) {}

  /** Refuses with webhook_endpoint_limit. */
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

  /** Unfinished deliveries to the endpoint are canceled when they are next due. */
  async delete(unit: Unit, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.lock(unit, id);
    this.endpoints.remove(unit, id);
    return endpoint;
  }

  /** The previous secret also signs for the overlap. An older one stops at once. */
  async rotateSecret(unit: Unit, id: string, overlapSeconds: number): Promise<WithSecret> {
    const endpoint = await this.endpoints.lock(unit, id);
    const secret = newWebhookSecret();
    this.endpoints.rotateSecret(unit, id, secret, unit.now + overlapSeconds * 1000);
    return { endpoint, secret };
  }

  /**
   * Sends one webhook.test event, even to a disabled endpoint, and returns the attempt. The event is not stored. `represent`
   * renders the endpoint as JSON. Not a decision: it may not run twice. Refuses with rate_limited too.
   */
  async test(
    caller: Caller,
    id: string,
    represent: (endpoint: WebhookEndpoint) => string,
  ): Promise<Attempt> {
    const endpoint = await this.endpoints.get(caller, id);
    const { mode, url } = endpoint;
    if (mode !== caller.mode) throw notFound('id');
    const moment = await this.clock.at(caller);
    const attemptedAt = moment.now;
    const secrets = await this.endpoints.secretsOf(caller, id, attemptedAt);
    const data = represent(endpoint);
    const event = {
      id: newId(EVENT_ID, moment),
      type: 'webhook.test',
      mode,
      sequence: 1,
      data,
      reason: null,
    };
    const isLedger = caller.organization === NO_ORGANIZATION;
    // The signature has the real time, because receivers compare it with their clocks.
    const at = attemptedAt - moment.ahead;
    const message = { url, event, secrets, at, ...(isLedger ? { organization: null } : {}) };
    const to = dueReceiver(caller.organization, storedReceiver(url, isLedger));
    const { statusCode, error, durationMs } = await this.attempts.test(to, id, message);
    return {
      endpoint: id,
      attempt: 1,
      attemptedAt,
      statusCode,
      error,
      durationMs,
      nextAttemptAt: null,
    };
  }
}
