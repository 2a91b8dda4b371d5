import { Controller, Delete, Get, Post } from '@nestjs/common';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { Author, Caller, LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { withOrganization } from '../../../../request/schema.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_RESOURCE } from '../../resources.js';
import { DELIVERY } from '../representation/deliveries.views.js';
import { LEDGER_ENDPOINT } from '../representation/webhook-endpoints.views.js';
import { type EndpointSurface, WebhookEndpointRoutes } from './webhook-endpoint-routes.js';
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  ListWebhookEndpointsQuery,
  RotateEndpointSecretRequest,
} from './webhook-endpoints.requests.js';

const { path } = WEBHOOK_ENDPOINT_RESOURCE.ledger;
/** The ledger's endpoints belong to no organization. */
const SURFACE: EndpointSurface = { path, show: (view) => withOrganization(null, view) };

@Controller(path)
@LedgerKey()
@Tag('Ledger: webhook endpoints', 'URLs to which the events of all organizations are sent.')
export class LedgerWebhookEndpointsController {
  constructor(private readonly routes: WebhookEndpointRoutes) {}

  @Operation('createLedgerWebhookEndpoint', {
    summary: 'Create a webhook endpoint as the ledger',
    description:
      'Creates an endpoint that receives the events of every organization in the mode of the ' +
      'key. Each mode has at most 16 endpoints. The secret is returned only here and when you ' +
      'rotate it.',
    answers: {
      201: {
        description: 'The endpoint with its secret.',
        schema: LEDGER_ENDPOINT.withSecret,
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
    return this.routes.create(SURFACE, caller, request);
  }

  @Operation('listLedgerWebhookEndpoints', {
    summary: 'List webhook endpoints as the ledger',
    description: 'Lists the webhook endpoints of the ledger in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of endpoints.', schema: LEDGER_ENDPOINT.list } },
  })
  @Get()
  list(@Caller() caller: Caller, @ValidQuery() query: ListWebhookEndpointsQuery) {
    return this.routes.list(SURFACE, caller, query);
  }

  @Operation('readLedgerWebhookEndpoint', {
    summary: 'Retrieve a webhook endpoint as the ledger',
    answers: { 200: { description: 'The endpoint.', schema: LEDGER_ENDPOINT.endpoint } },
  })
  @Get(':id')
  read(
    @Caller() caller: Caller,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    return this.routes.read(SURFACE, caller, id);
  }

  @Operation('changeLedgerWebhookEndpoint', {
    summary: 'Change a webhook endpoint as the ledger',
    description:
      'Changes only the given fields. `enabled: true` enables an endpoint that Tillgate disabled.',
    answers: { 200: { description: 'The endpoint.', schema: LEDGER_ENDPOINT.endpoint } },
  })
  @Post(':id')
  @IdempotencyKey('accepted')
  change(
    @Caller() caller: Caller,
    @ValidRequest(ChangeWebhookEndpointRequest) request: KeyedRequest<ChangeWebhookEndpointRequest>,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    return this.routes.change(SURFACE, caller, request, id);
  }

  @Operation('deleteLedgerWebhookEndpoint', {
    summary: 'Delete a webhook endpoint as the ledger',
    description: 'Deletes an endpoint. Its unfinished deliveries are canceled.',
    answers: { 200: { description: 'The deleted endpoint.', schema: LEDGER_ENDPOINT.deleted } },
  })
  @Delete(':id')
  delete(
    @Caller() caller: Caller,
    @Author() author: Author,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    return this.routes.delete(SURFACE, caller, author, id);
  }

  @Operation('rotateLedgerWebhookEndpointSecret', {
    summary: 'Rotate the secret of a webhook endpoint as the ledger',
    description:
      'Creates a new secret. For `overlap_seconds`, webhooks are signed with both the new and ' +
      'the previous secret. An older secret stops at once.',
    answers: {
      200: { description: 'The endpoint with its new secret.', schema: LEDGER_ENDPOINT.withSecret },
    },
  })
  @Post(':id/rotate_secret')
  @IdempotencyKey('accepted')
  rotateSecret(
    @Caller() caller: Caller,
    @ValidRequest(RotateEndpointSecretRequest) request: KeyedRequest<RotateEndpointSecretRequest>,
    @PathId(WEBHOOK_ENDPOINT_ID) id: string,
  ) {
    return this.routes.rotateSecret(SURFACE, caller, request, id);
  }

  @Operation('testLedgerWebhookEndpoint', {
    summary: 'Test a webhook endpoint as the ledger',
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
    return this.routes.test(caller, request, id);
  }
}
