import { Controller, Get } from '@nestjs/common';
import { LedgerKey, LedgerOfKey } from '../../../../request/credential.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag, Webhooks } from '../../../../request/operation.js';
import { ValidQuery } from '../../../../request/validation/validation.js';
import type { Ledger } from '../../../../shared/caller.js';
import { Events, type OwnedEvent } from '../../application/ports.js';
import { EVENT_FACTS } from '../../facts.js';
import { eventJson, LEDGER_EVENT_LIST, ledgerEventWebhooks } from '../representation/events.views.js';
import { ListLedgerEventsQuery, toLedgerFilter } from './events.requests.js';

@Controller(EVENT_FACTS.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: events',
  'An event describes a change of a resource of any organization. It is also sent to the webhook endpoints of the ledger.',
)
@Webhooks(ledgerEventWebhooks)
export class LedgerEventsController {
  constructor(private readonly events: Events) {}

  @Operation('listLedgerEvents', {
    summary: 'List events as the ledger',
    description:
      'Lists the events of every organization in the mode of the key, newest first or, with `order=asc`, oldest first. A reader that goes on from `next_cursor` with `order=asc` misses no event.',
    answers: { 200: { description: 'A page of events.', schema: LEDGER_EVENT_LIST } },
  })
  @Get()
  async list(@LedgerOfKey() ledger: Ledger, @ValidQuery() query: ListLedgerEventsQuery) {
    const page = await this.events.listOfAll(ledger, toLedgerFilter(ledger, query));
    return listResponse(page, (owned) => owned, ownedEventJson);
  }
}

function ownedEventJson({ organization, ...event }: OwnedEvent): string {
  return eventJson(event, organization);
}
