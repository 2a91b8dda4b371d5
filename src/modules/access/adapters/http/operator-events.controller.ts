import { Controller, Get } from '@nestjs/common';
import { listResponse } from '../../../../request/response.js';
import { Operation, OperatorKey, Tag } from '../../../../request/route.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import { NoFieldsRequest, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import { Trail } from '../../application/ports.js';
import { OPERATOR_EVENT_ID } from '../../domain/operator-event.js';
import { OPERATOR_EVENT_RESOURCE } from '../../resources.js';
import {
  OPERATOR_EVENT,
  OPERATOR_EVENT_LIST,
  operatorEventView,
} from '../representation/operator-events.views.js';
import { DEFAULT_ORDER, ListOperatorEventsQuery } from './operator-events.requests.js';

@Controller(OPERATOR_EVENT_RESOURCE.operator.path)
@OperatorKey()
@Tag('Operator: events', 'Who changed organizations, keys, webhook secrets and endpoints.')
export class OperatorEventsController {
  constructor(private readonly trail: Trail) {}

  @Operation('listOperatorEvents', {
    summary: 'List the changes that operators and merchants made',
    description:
      'Lists every change of an organization, a key, a webhook secret or endpoint, and every ' +
      'redaction that somebody asked for. A reader that follows `order=asc` misses none.',
    answers: { 200: { description: 'A page of events.', schema: OPERATOR_EVENT_LIST } },
  })
  @Get()
  async list(@ValidQuery() query: ListOperatorEventsQuery) {
    const { organization, type, order = DEFAULT_ORDER } = query;
    const filter = { ...pageRequest(query), organization, type, order };
    return listResponse(await this.trail.list(filter), operatorEventView);
  }

  @Operation('readOperatorEvent', {
    summary: 'Retrieve a change',
    answers: { 200: { description: 'The event.', schema: OPERATOR_EVENT } },
  })
  @Get(':id')
  async read(@PathId(OPERATOR_EVENT_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    return operatorEventView(await this.trail.byId(id));
  }
}
