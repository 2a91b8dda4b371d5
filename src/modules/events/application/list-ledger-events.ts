import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import type { Page } from '../../../shared/page.js';
import { type LedgerEventFilter, LedgerEvents, type OwnedEvent } from './ports.js';

@Injectable()
export class ListLedgerEvents {
  constructor(private readonly events: LedgerEvents) {}

  async execute(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    return this.events.list(ledger, filter);
  }
}
