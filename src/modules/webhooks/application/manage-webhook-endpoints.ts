import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { NO_ORGANIZATION, newId } from '../../../shared/id.js';
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
  async create(caller: Caller, input: NewWebhookEndpoint): Promise<Decision<WithSecret>> {
    return inTransaction(caller, async () => {
      const others = await this.endpoints.all(caller);
      const endpoint = newEndpoint(input, others, caller.mode, await this.clock.at(caller), this.urls);
      const secret = newWebhookSecret();
      await this.endpoints.add(caller, endpoint, secret);
      return decided({ endpoint, secret });
    });
  }

  async change(caller: Caller, id: string, change: WantedEndpoint): Promise<Decision<WebhookEndpoint>> {
    return inTransaction(caller, async () => {
      const endpoint = changedEndpoint(await this.endpoints.lock(caller, id), change, this.urls);
      await this.endpoints.change(caller, endpoint);
      return decided(endpoint);
    });
  }

  /** Unfinished deliveries to the endpoint are canceled when they are next due. */
  async delete(caller: Caller, id: string): Promise<Decision<WebhookEndpoint>> {
    return inTransaction(caller, async () => {
      const endpoint = await this.endpoints.lock(caller, id);
      await this.endpoints.remove(caller, id);
      return decided(endpoint);
    });
  }

  /** The previous secret also signs for the overlap. An older one stops at once. */
  async rotateSecret(caller: Caller, id: string, overlapSeconds: number): Promise<Decision<WithSecret>> {
    return inTransaction(caller, async () => {
      const endpoint = await this.endpoints.lock(caller, id);
      const secret = newWebhookSecret();
      const previousExpiresAt = (await this.clock.at(caller)).now + overlapSeconds * 1000;
      await this.endpoints.rotateSecret(caller, id, secret, previousExpiresAt);
      return decided({ endpoint, secret });
    });
  }

  /**
   * Sends one webhook.test event, even to a disabled endpoint, and returns the attempt. The event is not stored. `represent`
   * renders the endpoint as JSON. Not a decision: it may not run twice. Refuses with rate_limited too.
   */
  async test(caller: Caller, id: string, represent: (endpoint: WebhookEndpoint) => string): Promise<Attempt> {
    const endpoint = await this.endpoints.get(caller, id);
    const { mode, url } = endpoint;
    if (mode !== caller.mode) throw notFound('id');
    const moment = await this.clock.at(caller);
    const attemptedAt = moment.now;
    const secrets = await this.endpoints.secretsOf(caller, id, attemptedAt);
    const data = represent(endpoint);
    const event = { id: newId(EVENT_ID, moment), type: 'webhook.test', mode, sequence: 1, data, reason: null };
    const isLedger = caller.organization === NO_ORGANIZATION;
    // The signature has the real time, because receivers compare it with their clocks.
    const at = attemptedAt - moment.ahead;
    const message = { url, event, secrets, at, ...(isLedger ? { organization: null } : {}) };
    const to = dueReceiver(caller.organization, storedReceiver(url, isLedger));
    const { statusCode, error, durationMs } = await this.attempts.test(to, id, message);
    return { endpoint: id, attempt: 1, attemptedAt, statusCode, error, durationMs, nextAttemptAt: null };
  }
}
