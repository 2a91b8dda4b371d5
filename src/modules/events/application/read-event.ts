import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import type { Event } from '../domain/event.js';
import { type Attempt, Events } from './ports.js';

export interface ReadEventResult {
  readonly event: Event;
  readonly attempts: readonly Attempt[];
}

@Injectable()
export class ReadEvent {
  constructor(private readonly events: Events) {}

  async execute(caller: Caller, id: string): Promise<ReadEventResult> {
    const event = await this.events.find(caller, id);
    if (!event) throw notFound('id');
    return { event, attempts: await this.events.attemptsAt(caller, event) };
  }
}
