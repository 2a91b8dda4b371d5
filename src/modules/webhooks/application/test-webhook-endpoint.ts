import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock, type Moment } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { NO_ORGANIZATION, newId } from '../../../shared/id.js';
import { EVENT_ID } from '../../events/index.js';
import { dueReceiver, storedReceiver } from '../domain/receiver.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { OutgoingAttempts } from './outgoing-attempts.js';
import { type Attempt, WebhookEndpoints } from './ports.js';

/** Renders an endpoint as JSON, which is what the event of a test is about. */
type Represent = (endpoint: WebhookEndpoint) => string;

@Injectable()
export class TestWebhookEndpoint {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly attempts: OutgoingAttempts,
    private readonly clock: CallerClock,
  ) {}

  /**
   * Sends one webhook.test event, even to a disabled endpoint, and returns the attempt. Nothing is
   * stored, so it takes no unit. Refuses with not_found or rate_limited.
   */
  async execute(caller: Caller, id: string, represent: Represent): Promise<Attempt> {
    const endpoint = await this.endpoints.get(caller, id);
    if (endpoint.mode !== caller.mode) throw notFound('id');
    const moment = await this.clock.at(caller);
    const secrets = await this.endpoints.secretsOf(caller, id, moment.now);
    const isLedger = caller.organization === NO_ORGANIZATION;
    const message = {
      url: endpoint.url,
      event: testEvent(endpoint, moment, represent),
      secrets,
      // The signature has the real time, because receivers compare it with their clocks.
      at: moment.now - moment.ahead,
      ...(isLedger && { organization: null }),
    };
    const receiver = dueReceiver(caller.organization, storedReceiver(endpoint.url, isLedger));
    const { statusCode, error, durationMs } = await this.attempts.test(receiver, id, message);
    const made = { attempt: 1, attemptedAt: moment.now, nextAttemptAt: null };
    return { endpoint: id, ...made, statusCode, error, durationMs };
  }
}

function testEvent(endpoint: WebhookEndpoint, moment: Moment, represent: Represent) {
  const id = newId(EVENT_ID, moment);
  const { mode } = endpoint;
  return { id, type: 'webhook.test', mode, sequence: 1, data: represent(endpoint), reason: null };
}
