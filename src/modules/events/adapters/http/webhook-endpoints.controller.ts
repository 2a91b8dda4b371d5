import { Controller, Delete, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../idempotency/idempotent-response.js';
import { listView } from '../../../../platform/http/list.view.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { HttpResponse } from '../../../../platform/http/response.js';
import type { Caller } from '../../../../shared/caller.js';
import { NoFieldsRequest } from '../../../../validation/requests.js';
import { PathId, ValidBody, ValidQuery } from '../../../../validation/validation.js';
import { CallerOfKey } from '../../../access/index.js';
import { ChangeWebhookEndpoint } from '../../application/change-webhook-endpoint.js';
import { CreateWebhookEndpoint } from '../../application/create-webhook-endpoint.js';
import { DeleteWebhookEndpoint } from '../../application/delete-webhook-endpoint.js';
import { ListWebhookEndpoints } from '../../application/list-webhook-endpoints.js';
import { ReadWebhookEndpoint } from '../../application/read-webhook-endpoint.js';
import { RotateEndpointSecret } from '../../application/rotate-endpoint-secret.js';
import { TestWebhookEndpoint } from '../../application/test-webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_FACTS } from '../../facts.js';
import { DELIVERY, deliveryView } from '../representation/events.views.js';
import { NEW_ENDPOINT, REFUSED_ENDPOINTS } from '../representation/webhook-endpoints.examples.js';
import {
  DELETED_WEBHOOK_ENDPOINT,
  deletedView,
  WEBHOOK_ENDPOINT,
  WEBHOOK_ENDPOINT_LIST,
  WEBHOOK_ENDPOINT_WITH_SECRET,
  webhookEndpointView,
  withSecretView,
} from '../representation/webhook-endpoints.views.js';
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  ListWebhookEndpointsQuery,
  RotateEndpointSecretRequest,
  toChange,
  toNewEndpoint,
  toOverlap,
  toPage,
} from './webhook-endpoints.requests.js';

@Controller(WEBHOOK_ENDPOINT_FACTS.secret.path)
@Tag('Webhook endpoints', 'URLs to which the events of your organization are sent.')
export class WebhookEndpointsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly createEndpoint: CreateWebhookEndpoint,
    private readonly readEndpoint: ReadWebhookEndpoint,
    private readonly listEndpoints: ListWebhookEndpoints,
    private readonly changeEndpoint: ChangeWebhookEndpoint,
    private readonly deleteEndpoint: DeleteWebhookEndpoint,
    private readonly rotateEndpointSecret: RotateEndpointSecret,
    private readonly testEndpoint: TestWebhookEndpoint,
  ) {}

  @Operation('createWebhookEndpoint', {
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that receives the events of your organization in the mode of the key. Each mode has at most 16 endpoints. The secret is returned only here and when you rotate it.',
    example: NEW_ENDPOINT,
    answers: {
      201: { description: 'The endpoint with its secret.', schema: WEBHOOK_ENDPOINT_WITH_SECRET, located: true },
    },
    refusals: REFUSED_ENDPOINTS,
  })
  @Post()
  @RequireIdempotencyKey()
  create(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @ValidBody() body: CreateWebhookEndpointRequest,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      { body, ...request },
      () => this.createEndpoint.execute(caller, toNewEndpoint(body)),
      (created) => ({
        status: 201,
        body: JSON.stringify(withSecretView(created)),
        location: `${WEBHOOK_ENDPOINT_FACTS.secret.path}/${created.endpoint.state.id}`,
        hasSecret: true,
      }),
    );
  }

  @Operation('listWebhookEndpoints', {
    summary: 'List webhook endpoints',
    description: 'Lists the webhook endpoints of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of endpoints.', schema: WEBHOOK_ENDPOINT_LIST } },
  })
  @Get()
  async list(@CallerOfKey() caller: Caller, @ValidQuery() query: ListWebhookEndpointsQuery) {
    return listView(await this.listEndpoints.execute(caller, toPage(query)), webhookEndpointView);
  }

  @Operation('readWebhookEndpoint', {
    summary: 'Retrieve a webhook endpoint',
    answers: { 200: { description: 'The endpoint.', schema: WEBHOOK_ENDPOINT } },
  })
  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId(WEBHOOK_ENDPOINT_ID) id: string) {
    return webhookEndpointView(await this.readEndpoint.execute(caller, id));
  }

  @Operation('changeWebhookEndpoint', {
    summary: 'Change a webhook endpoint',
    description: 'Changes only the given fields. `enabled: true` enables an endpoint that Tillgate disabled.',
    example: { enabled: true },
    answers: { 200: { description: 'The endpoint.', schema: WEBHOOK_ENDPOINT } },
  })
  @Post(':id')
  @AcceptIdempotencyKey()
  change(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    @ValidBody() body: ChangeWebhookEndpointRequest,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      { body, ...request },
      () => this.changeEndpoint.execute(caller, id, toChange(body)),
      (endpoint) => ({ status: 200, body: JSON.stringify(webhookEndpointView(endpoint)) }),
    );
  }

  @Operation('deleteWebhookEndpoint', {
    summary: 'Delete a webhook endpoint',
    description: 'Deletes an endpoint. Its unfinished deliveries are canceled.',
    answers: { 200: { description: 'The deleted endpoint.', schema: DELETED_WEBHOOK_ENDPOINT } },
  })
  @Delete(':id')
  async delete(@CallerOfKey() caller: Caller, @PathId(WEBHOOK_ENDPOINT_ID) id: string): Promise<HttpResponse> {
    return this.idempotency.withoutKey(
      () => this.deleteEndpoint.execute(caller, id),
      (endpoint) => ({ status: 200, body: JSON.stringify(deletedView(endpoint)) }),
    );
  }

  @Operation('rotateWebhookEndpointSecret', {
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret. For `overlap_seconds`, webhooks are signed with both the new and the previous secret. An older secret stops at once.',
    answers: { 200: { description: 'The endpoint with its new secret.', schema: WEBHOOK_ENDPOINT_WITH_SECRET } },
  })
  @Post(':id/rotate_secret')
  @AcceptIdempotencyKey()
  rotateSecret(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    @ValidBody() body: RotateEndpointSecretRequest,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      { body, ...request },
      () => this.rotateEndpointSecret.execute(caller, id, toOverlap(body)),
      (rotated) => ({ status: 200, body: JSON.stringify(withSecretView(rotated)), hasSecret: true }),
    );
  }

  @Operation('testWebhookEndpoint', {
    summary: 'Test a webhook endpoint',
    description: 'Sends one `webhook.test` event to the endpoint and returns the result. A failure is not retried.',
    answers: { 200: { description: 'The attempt.', schema: DELIVERY } },
  })
  @Post(':id/test')
  @AcceptIdempotencyKey()
  test(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    @ValidBody() body: NoFieldsRequest,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      { body, hasEffect: true, ...request },
      () => this.testEndpoint.execute(caller, id, (endpoint) => JSON.stringify(webhookEndpointView(endpoint))),
      (attempt) => ({ status: 200, body: JSON.stringify(deliveryView(attempt)) }),
    );
  }
}
