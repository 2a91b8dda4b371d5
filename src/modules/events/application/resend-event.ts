import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { NOT_FOUND, notFound, Refusal } from '../../../shared/errors.js';
import type { Event } from '../domain/event.js';
import { Events, type Recipient, Resending, WebhookEndpoints } from './ports.js';
import type { ReadEventResult } from './read-event.js';

export interface ResendEventResult extends ReadEventResult {
  /** When it is due, in milliseconds. */
  readonly dueAt: number;
}

/** An event is tried at once, even one that was delivered or given up, and then goes on as scheduled. */
@Injectable()
export class ResendEvent {
  constructor(
    private readonly events: Events,
    private readonly endpoints: WebhookEndpoints,
    private readonly resending: Resending,
    private readonly clock: Clock,
  ) {}

  /**
   * To one endpoint, whatever types it wants, or to all that want it and to the URL that was given with the resource.
   * Refuses with not_found.
   */
  async execute(caller: Caller, id: string, endpoint?: string): Promise<Decision<ResendEventResult>> {
    const event = await this.events.find(caller, id);
    if (event?.mode !== caller.mode) throw notFound('id');
    const recipients = endpoint === undefined ? await this.all(caller, event) : [await this.one(caller, endpoint)];
    if (recipients.length === 0)
      throw new Refusal(NOT_FOUND, 'The event goes nowhere: no URL and no endpoint wants it.');
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
    const wanting = (await this.endpoints.all(caller)).filter((endpoint) => endpoint.wants(event.type));
    const recipients = wanting.map(({ state }) => ({ endpoint: state.id, url: state.url }));
    const url = await this.resending.urlOf(caller, event);
    return url === null ? recipients : [...recipients, { endpoint: null, url }];
  }
}
