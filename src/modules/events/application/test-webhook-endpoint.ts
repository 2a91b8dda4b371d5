import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { NO_ORGANIZATION, newId } from '../../../shared/id.js';
import { EVENT_ID } from '../domain/event.js';
import { dueReceiver, storedReceiver } from '../domain/receiver.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { OutgoingAttempts } from './outgoing-attempts.js';
import { type Attempt, WebhookEndpoints } from './ports.js';

@Injectable()
export class TestWebhookEndpoint {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly attempts: OutgoingAttempts,
    private readonly clock: CallerClock,
  ) {}

  /**
   * Sends one webhook.test event, even to a disabled endpoint, and returns the attempt. The event is not stored. `represent`
   * renders the endpoint as JSON. Not a decision: it may not run twice. Refuses with not_found, or rate_limited.
   */
  async execute(caller: Caller, id: string, represent: (endpoint: WebhookEndpoint) => string): Promise<Attempt> {
    const endpoint = await this.endpoints.get(caller, id);
    const { mode, url } = endpoint.state;
    if (mode !== caller.mode) throw notFound('id');
    const moment = await this.clock.at(caller);
    const attemptedAt = moment.now;
    const secrets = await this.endpoints.secretsOf(caller, id, attemptedAt);
    const data = represent(endpoint);
    const event = { id: newId(EVENT_ID, moment), type: 'webhook.test', mode, sequence: 1, data, reason: null };
    const forLedger = caller.organization === NO_ORGANIZATION ? { organization: null } : {};
    // The signature has the real time, because receivers compare it with their clocks.
    const at = attemptedAt - moment.ahead;
    const message = { url, event, secrets, at, ...forLedger };
    const to = dueReceiver(caller.organization, storedReceiver(url, caller.organization === NO_ORGANIZATION));
    const { statusCode, error, durationMs } = await this.attempts.test(to, id, message);
    return { endpoint: id, attempt: 1, attemptedAt, statusCode, error, durationMs, nextAttemptAt: null };
  }
}
