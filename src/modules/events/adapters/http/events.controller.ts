import { Controller, Get, Post } from '@nestjs/common';
import { CallerOfKey } from '../../../../request/credential.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../request/idempotency/idempotent-response.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag, Webhooks } from '../../../../request/operation.js';
import { HttpResponse } from '../../../../request/response.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { Events } from '../../application/ports.js';
import { ResendEvent } from '../../application/resend-event.js';
import { EVENT_ID } from '../../domain/event.js';
import { EVENT_FACTS } from '../../facts.js';
import {
  EVENT_LIST,
  EVENT_WITH_DELIVERIES,
  eventJson,
  eventWebhooks,
  eventWithDeliveriesJson,
  RESENT_EVENT,
  resentEventJson,
} from '../representation/events.views.js';
import { ListEventsQuery, ResendEventRequest, toFilter } from './events.requests.js';

@Controller(EVENT_FACTS.secret.path)
@Tag(
  'Events',
  'An event describes a change of a resource. It is also sent to webhook endpoints and to the `notify_url` that belongs to the resource.',
)
@Webhooks(eventWebhooks)
export class EventsController {
  constructor(
    private readonly events: Events,
    private readonly resendEvent: ResendEvent,
    private readonly idempotency: Idempotency,
  ) {}

  @Operation('readEvent', {
    summary: 'Retrieve an event',
    description: 'Returns the event with the last 20 attempts of each delivery.',
    answers: { 200: { description: 'The event.', schema: EVENT_WITH_DELIVERIES } },
  })
  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId(EVENT_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    const event = await this.events.find(caller, id);
    if (!event) throw notFound('id');
    const attempts = await this.events.attemptsAt(caller, event);
    return new HttpResponse({ status: 200, body: eventWithDeliveriesJson(event, attempts) });
  }

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

  @Operation('resendEvent', {
    summary: 'Resend an event',
    description:
      'Sends the event again now: to the `notify_url` and to every webhook endpoint that subscribes to its type, or to one endpoint only. Receivers that got it 100 times are left out.',
    answers: { 200: { description: 'The event with the deliveries that are due now.', schema: RESENT_EVENT } },
  })
  @Post(':id/resend')
  @IdempotencyKey('accepted')
  resend(
    @CallerOfKey() caller: Caller,
    @Keyed(ResendEventRequest) request: KeyedRequest<ResendEventRequest>,
    @PathId(EVENT_ID) id: string,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      request,
      () => this.resendEvent.execute(caller, id, request.body.webhook_endpoint ?? undefined),
      (resent) => ({ status: 200, body: resentEventJson(resent) }),
    );
  }
}
