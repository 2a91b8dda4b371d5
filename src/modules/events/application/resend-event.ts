import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { NOT_FOUND, notFound, Refusal } from '../../../shared/errors.js';
import type { Event } from '../domain/event.js';
import { Events, type Recipient, Resending, WebhookEndpoints } from './ports.js';
import type { ReadEventResult } from './read-event.js';

export interface ResendEventResult extends ReadEventResult {
  /** When the new deliveries are due, in milliseconds. */
  readonly dueAt: number;
}

/** Sends an event again at once, even one that was delivered or given up. Failed attempts are repeated as usual. */
@Injectable()
export class ResendEvent {
  constructor(
    private readonly events: Events,
    private readonly endpoints: WebhookEndpoints,
    private readonly resending: Resending,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends to one endpoint, whatever its types, or to the notify_url and all endpoints that subscribe to the type. Refuses with
   * not_found.
   */
  async execute(caller: Caller, id: string, endpoint?: string): Promise<Decision<ResendEventResult>> {
    const event = await this.events.find(caller, id);
    if (event?.mode !== caller.mode) throw notFound('id');
    const recipients = endpoint === undefined ? await this.all(caller, event) : [await this.one(caller, endpoint)];
    if (recipients.length === 0)
      throw new Refusal(
        NOT_FOUND,
        'The event has no recipient: no notify_url, and no endpoint that subscribes to its type.',
      );
    const attempts = await this.events.attemptsAt(caller, event);
    const dueAt = this.clock.now();
    return decided({ event, attempts, dueAt }, this.resending.send(caller, event, recipients, dueAt));
  }

  private async one(caller: Caller, id: string): Promise<Recipient> {
    const found = (await this.endpoints.all(caller)).find(({ state }) => state.id === id);
    if (!found?.state.enabled) throw notFound('webhook_endpoint');
    return { endpoint: id, url: found.state.url };
  }

  private async all(caller: Caller, event: Event): Promise<Recipient[]> {
    const subscribed = (await this.endpoints.all(caller)).filter((endpoint) => endpoint.subscribesTo(event.type));
    const recipients = subscribed.map(({ state }) => ({ endpoint: state.id, url: state.url }));
    const url = await this.resending.urlOf(caller, event);
    return url === null ? recipients : [...recipients, { endpoint: null, url }];
  }
}
