import { Controller, Get, Query } from '@nestjs/common';
import { listView } from '../../../../platform/http/list.view.js';
import { PathId } from '../../../../platform/http/path-id.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { ListEvents } from '../../application/list-events.js';
import { ReadEvent } from '../../application/read-event.js';
import { ListEventsQuery, toFilter } from './events.requests.js';
import { eventView, eventWithDeliveriesView } from './events.views.js';

/** For receivers that were away: what they missed, and what was tried. */
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly readEvent: ReadEvent,
    private readonly listEvents: ListEvents,
  ) {}

  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId('evt') id: string) {
    return eventWithDeliveriesView(await this.readEvent.execute(caller, id));
  }

  @Get()
  async list(@CallerOfKey() caller: Caller, @Query() query: ListEventsQuery) {
    return listView(await this.listEvents.execute(caller, toFilter(query)), eventView);
  }
}
