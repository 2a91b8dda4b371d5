import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Events, type ResourceEvent } from './ports.js';

@Injectable()
export class FindUndelivered {
  constructor(private readonly events: Events) {}

  /** The time of the event, in milliseconds, if a delivery of it is unfinished. */
  async since(caller: Caller, happened: ResourceEvent): Promise<number | undefined> {
    return this.events.undeliveredSince(caller, happened);
  }
}
