import { Controller, Delete, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { changed, HttpResponse, listResponse } from '../../../../request/response.js';
import { Caller, Operation, Tag } from '../../../../request/route.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import type { Unit } from '../../../../shared/unit.js';
import {
  ManageWebhookEndpoints,
  type WithSecret,
} from '../../application/manage-webhook-endpoints.js';
import { type Attempt, WebhookEndpoints } from '../../application/ports.js';
import { TestWebhookEndpoint } from '../../application/test-webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_ID, type WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_RESOURCE } from '../../resources.js';
import { DELIVERY, deliveryView } from '../representation/deliveries.views.js';
import {
  deletedView,
  ENDPOINT,
  webhookEndpointJson,
  webhookEndpointView,
  withSecretView,
} from '../representation/webhook-endpoints.views.js';
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  ListWebhookEndpointsQuery,
  RotateEndpointSecretRequest,
  toOverlap,
} from './webhook-endpoints.requests.js';

const { path } = WEBHOOK_ENDPOINT_RESOURCE.secret;

@Controller(path)

@Tag('Webhook endpoints', 'URLs to which the events of your organization are sent.')
export class WebhookEndpointsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly endpoints: WebhookEndpoints,
    private readonly manage: ManageWebhookEndpoints,
    private readonly testEndpoint: TestWebhookEndpoint,
  ) {}

  @Operation('createWebhookEndpoint', {
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that receives the events of your organization in the mode of the ' +
      'key. Each mode has at most 16 endpoints. The secret is returned only here and when you ' +
      'rotate it.',
    answers: {
      201: {
        description: 'The endpoint with its secret.',
        schema: ENDPOINT.withSecret,
        located: true,
      },
    },
  })
  @Post()
  @IdempotencyKey('required')
  create(
    @Caller() caller: Caller,
    @ValidRequest(CreateWebhookEndpointRequest) request: KeyedRequest<CreateWebhookEndpointRequest>,
  ) {
    const create = (unit: Unit) => this.manage.create(unit, request.body);
    return this.idempotency.once(caller, request, create, created);
  }

  @Operation('listWebhookEndpoints', {
    summary: 'List webhook endpoints',
    description:
      'Lists the webhook endpoints of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of endpoints.', schema: ENDPOINT.list } },
  })
  @Get()
  async list(@Caller() caller: Caller, @ValidQuery() query: ListWebhookEndpointsQuery) {
    return listResponse(await this.endpoints.list(caller, pageRequest(query)), webhookEndpointView);
  }

  @Operation('readWebhookEndpoint', {
    summary: 'Retrieve a webhook endpoint',
    answers: { 200: { description: 'The endpoint.', schema: ENDPOINT.endpoint } },
  })
  @Get(':id')
  async read(
    @Caller() caller: Caller,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    return webhookEndpointView(await this.endpoints.get(caller, id));
  }

  @Operation('changeWebhookEndpoint', {
    summary: 'Change a webhook endpoint',
    description:
      'Changes only the given fields. `enabled: true` enables an endpoint that Tillgate disabled.',
    answers: { 200: { description: 'The endpoint.', schema: ENDPOINT.endpoint } },
  })
  @Post(':id')
  @IdempotencyKey('accepted')
  change(
    @Caller() caller: Caller,
    @ValidRequest(ChangeWebhookEndpointRequest) request: KeyedRequest<ChangeWebhookEndpointRequest>,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    const change = (unit: Unit) => this.manage.change(unit, id, request.body);
    return this.idempotency.once(caller, request, change, shown);
  }

  @Operation('deleteWebhookEndpoint', {
    summary: 'Delete a webhook endpoint',
    description: 'Deletes an endpoint. Its unfinished deliveries are canceled.',
    answers: { 200: { description: 'The deleted endpoint.', schema: ENDPOINT.deleted } },
  })
  @Delete(':id')
  delete(@Caller() caller: Caller, @PathId(WEBHOOK_ENDPOINT_ID) id: string) {
    const remove = (unit: Unit) => this.manage.delete(unit, id);
    return this.idempotency.withoutKey(caller, remove, deleted);
  }

  @Operation('rotateWebhookEndpointSecret', {
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret. For `overlap_seconds`, webhooks are signed with both the new and ' +
      'the previous secret. An older secret stops at once.',
    answers: {
      200: { description: 'The endpoint with its new secret.', schema: ENDPOINT.withSecret },
    },
  })
  @Post(':id/rotate_secret')
  @IdempotencyKey('accepted')
  rotateSecret(
    @Caller() caller: Caller,
    @ValidRequest(RotateEndpointSecretRequest) request: KeyedRequest<RotateEndpointSecretRequest>,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    const rotate = (unit: Unit) => this.manage.rotateSecret(unit, id, toOverlap(request.body));
    return this.idempotency.once(caller, request, rotate, withSecret);
  }

  @Operation('testWebhookEndpoint', {
    summary: 'Test a webhook endpoint',
    description:
      'Sends one `webhook.test` event to the endpoint and returns the result. A failure is not ' +
      'retried.',
    answers: { 200: { description: 'The attempt.', schema: DELIVERY } },
  })
  @Post(':id/test')
  @IdempotencyKey('accepted')
  test(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    const send = () => this.testEndpoint.execute(caller, id, webhookEndpointJson);
    return this.idempotency.onceWithEffect(caller, request, send, attempted);
  }
}

const shown = (endpoint: WebhookEndpoint): HttpResponse => changed(webhookEndpointView(endpoint));

const deleted = (endpoint: WebhookEndpoint): HttpResponse => changed(deletedView(endpoint));

const withSecret = (rotated: WithSecret): HttpResponse =>
  new HttpResponse({ ...changed(withSecretView(rotated)), hasSecret: true });

const created = (made: WithSecret): HttpResponse =>
  new HttpResponse({
    ...withSecret(made),
    status: 201,
    location: `${path}/${made.endpoint.id}`,
  });

const attempted = (attempt: Attempt): HttpResponse => changed(deliveryView(attempt));
