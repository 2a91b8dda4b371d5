import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import type { IdempotentResponse } from '../../../../request/response.js';
import { HttpResponse } from '../../../../request/response.js';
import { Caller, Operation, Tag } from '../../../../request/route.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { notFound } from '../../../../shared/errors.js';
import { EVENT_ID, EVENT_RESOURCE, EVENTS_TAG, Events } from '../../../events/index.js';
import { EventDeliveries } from '../../application/ports.js';
import { ResendEvent } from '../../application/resend-event.js';
import {
  EVENT_WITH_DELIVERIES,
  eventWithDeliveriesJson,
  RESENT_EVENT,
  resentEventJson,
} from '../representation/deliveries.views.js';
import { ResendEventRequest } from './event-deliveries.requests.js';

@Controller(EVENT_RESOURCE.secret.path)
@Tag(...EVENTS_TAG)
export class EventDeliveriesController {
  constructor(
    private readonly events: Events,
    private readonly deliveries: EventDeliveries,
    private readonly resendEvent: ResendEvent,
    private readonly idempotency: Idempotency,
  ) {}

  @Operation('readEvent', {
    summary: 'Retrieve an event',
    description: 'Returns the event with the last 20 attempts of each delivery.',
    answers: { 200: { description: 'The event.', schema: EVENT_WITH_DELIVERIES } },
  })
  @Get(':id')
  async read(
    @Caller() caller: Caller,
    @PathId(EVENT_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    const event = await this.events.find(caller, id);
    if (!event) throw notFound('id');
    const attempts = await this.deliveries.attemptsAt(caller, event);
    return new HttpResponse({ status: 200, body: eventWithDeliveriesJson(event, attempts) });
  }

  @Operation('resendEvent', {
    summary: 'Resend an event',
    description:
      'Sends the event again now: to the `notify_url` and to every webhook endpoint that ' +
      'subscribes to its type, or to one endpoint only. Receivers that got it 100 times are ' +
      'left out.',
    answers: {
      200: { description: 'The event with the deliveries that are due now.', schema: RESENT_EVENT },
    },
  })
  @Post(':id/resend')
  @IdempotencyKey('accepted')
  resend(
    @Caller() caller: Caller,
    @ValidRequest(ResendEventRequest) request: KeyedRequest<ResendEventRequest>,
    @PathId(EVENT_ID) id: string,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.resendEvent.execute(unit, id, request.body.webhook_endpoint ?? undefined),
      (resent) => new HttpResponse({ status: 200, body: resentEventJson(resent) }),
    );
  }
}
