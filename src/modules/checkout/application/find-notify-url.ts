import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class FindNotifyUrl {
  constructor(private readonly sessions: CheckoutSessions) {}

  async execute(caller: Caller, id: string): Promise<string | null> {
    return this.sessions.notifyUrl(caller, id);
  }
}
