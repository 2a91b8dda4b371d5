import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { type Caller, type Ledger, MODES } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { type EventFilter, Events, type LedgerEventFilter, type OwnedEvent } from '../../application/ports.js';
import { type Event } from '../../domain/event.js';
import { EventRecord } from './event.record.js';
import { EventLists, pageOf } from './event-lists.js';

@Injectable()
export class PostgresEvents extends Events {
  constructor(
    private readonly database: Database,
    private readonly lists: EventLists,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  async find(caller: Caller, id: string): Promise<Event | undefined> {
    const key = { organizationId: uuidOf(caller.organization), mode: In(MODES), id: uuidOf(id) };
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(EventRecord, key));
    if (!row) return undefined;
    const { mode, type, data, reason, details } = row;
    return { id, mode, type, sequence: row.sequenceBase + row.sequence, data, reason, details };
  }

  async list(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    return pageOf(await this.lists.found(caller, filter, (await this.clock.at(caller)).ahead), filter);
  }

  async listOfAll(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    const page = pageOf(await this.lists.foundOfAll(ledger, filter), filter);
    const items = page.items.map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
    return { ...page, items };
  }
}
