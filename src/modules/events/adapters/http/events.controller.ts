import { Controller, Get } from '@nestjs/common';
import { CallerOfKey } from '../../../../request/credential.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag, Webhooks } from '../../../../request/operation.js';
import { ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { Events } from '../../application/ports.js';
import { EVENT_FACTS } from '../../facts.js';
import { EVENT_LIST, EVENTS_TAG, eventJson, eventWebhooks } from '../representation/events.views.js';
import { ListEventsQuery, toFilter } from './events.requests.js';

@Controller(EVENT_FACTS.secret.path)
@Tag(...EVENTS_TAG)
@Webhooks(eventWebhooks)
export class EventsController {
  constructor(private readonly events: Events) {}

  @Operation('listEvents', {
    summary: 'List events',
    description:
      'Lists the events of your organization in the mode of the key, newest first or, with `order=asc`, oldest first. A reader that goes on from `next_cursor` with `order=asc` misses no event.',
    answers: { 200: { description: 'A page of events.', schema: EVENT_LIST } },
  })
  @Get()
  async list(@CallerOfKey() caller: Caller, @ValidQuery() query: ListEventsQuery) {
    return listResponse(await this.events.list(caller, toFilter(caller, query)), (event) => event, eventJson);
  }
}
