import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { NO_ORGANIZATION, newId } from '../../../shared/id.js';
import { EVENT_ID } from '../domain/event.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { type Attempt, Receivers, WebhookEndpoints } from './ports.js';

@Injectable()
export class TestWebhookEndpoint {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly receivers: Receivers,
    private readonly clock: CallerClock,
  ) {}

  /**
   * Sends one webhook.test event, even to a disabled endpoint, and returns the attempt. The event is not stored. `represent`
   * renders the endpoint as JSON. Refuses with not_found.
   */
  async execute(
    caller: Caller,
    id: string,
    represent: (endpoint: WebhookEndpoint) => string,
  ): Promise<Decision<Attempt>> {
    const endpoint = await this.endpoints.get(caller, id);
    const { mode, url } = endpoint.state;
    if (mode !== caller.mode) throw notFound('id');
    const moment = this.clock.at(caller);
    const attemptedAt = moment.now;
    const secrets = await this.endpoints.secretsOf(caller, id, attemptedAt);
    const data = represent(endpoint);
    const event = { id: newId(EVENT_ID, moment), type: 'webhook.test', mode, sequence: 1, data, reason: null };
    const forLedger = caller.organization === NO_ORGANIZATION ? { organization: null } : {};
    // The signature has the real time, because receivers compare it with their clocks.
    const at = attemptedAt - moment.ahead;
    // Never aborted: the caller waits for the result.
    const signal = new AbortController().signal;
    const { statusCode, error, durationMs } = await this.receivers.send(
      { url, event, secrets, at, ...forLedger },
      signal,
    );
    return decided({ endpoint: id, attempt: 1, attemptedAt, statusCode, error, durationMs, nextAttemptAt: null });
  }
}
