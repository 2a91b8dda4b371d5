import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Events, type Happened } from './ports.js';

@Injectable()
export class FindUndelivered {
  constructor(private readonly events: Events) {}

  /** When it happened, in milliseconds, if a receiver that is told of it has not acknowledged it yet. */
  async since(caller: Caller, happened: Happened): Promise<number | undefined> {
    return this.events.undeliveredSince(caller, happened);
  }
}
