import { Controller, Get } from '@nestjs/common';
import { listResponse } from '../../../../request/response.js';
import { Caller, Ledger, LedgerKey, Operation, Tag, Webhooks } from '../../../../request/route.js';
import { ValidQuery } from '../../../../request/validation/validation.js';
import { Events } from '../../application/ports.js';
import { EVENT_RESOURCE } from '../../resources.js';
import * as views from '../representation/events.views.js';
import { ListEventsQuery, ListLedgerEventsQuery, toFilter } from './events.requests.js';

const listing = (whose: string) =>
  `Lists the events of ${whose} in the mode of the key, newest first or, with \`order=asc\`, ` +
  'oldest first. A reader that goes on from `next_cursor` with `order=asc` misses no event.';

const arrayJson = (jsons: readonly string[]) => `[${jsons.join(',')}]`;

@Controller(EVENT_RESOURCE.secret.path)
@Tag(...views.EVENTS_TAG)
@Webhooks(views.eventWebhooks)
export class EventsController {
  constructor(private readonly events: Events) {}

  @Operation('listEvents', {
    summary: 'List events',
    description: listing('your organization'),
    answers: { 200: { description: 'A page of events.', schema: views.EVENT_LIST } },
  })
  @Get()
  async list(@Caller() caller: Caller, @ValidQuery() query: ListEventsQuery) {
    return listResponse(
      await this.events.list(caller, toFilter(caller, query)),
      (event) => event,
      (events) => arrayJson(events.map((event) => views.eventJson(event))),
    );
  }
}

@Controller(EVENT_RESOURCE.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: events',
  'An event describes a change of a resource of any organization. It is also sent to the ' +
    'webhook endpoints of the ledger.',
)
@Webhooks(views.ledgerEventWebhooks)
export class LedgerEventsController {
  constructor(private readonly events: Events) {}

  @Operation('listLedgerEvents', {
    summary: 'List events as the ledger',
    description: listing('every organization'),
    answers: { 200: { description: 'A page of events.', schema: views.LEDGER_EVENT_LIST } },
  })
  @Get()
  async list(@Ledger() ledger: Ledger, @ValidQuery() query: ListLedgerEventsQuery) {
    const page = await this.events.listOfAll(ledger, toFilter(ledger, query));
    return listResponse(
      page,
      (event) => event,
      (events) => arrayJson(events.map((event) => views.eventJson(event, event.organization))),
    );
  }
}
