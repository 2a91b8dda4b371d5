import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { PageSession } from '../domain/checkout-page.js';
import { Sessions } from './ports.js';

@Injectable()
export class FindPageSession {
  constructor(private readonly sessions: Sessions) {}

  /** Finds a session of the caller's organization in either mode. Refuses with not_found. */
  async execute(caller: Caller, id: string): Promise<PageSession> {
    return this.sessions.get(caller, id);
  }
}
