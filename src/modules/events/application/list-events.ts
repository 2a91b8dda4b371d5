import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Page } from '../../../shared/page.js';
import type { Event } from '../domain/event.js';
import { type EventFilter, Events } from './ports.js';

@Injectable()
export class ListEvents {
  constructor(private readonly events: Events) {}

  async execute(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    return this.events.list(caller, filter);
  }
}
