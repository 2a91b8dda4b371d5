import { Delete, Get, Post } from '@nestjs/common';
import { CallerOfKey } from '../../../../request/credential.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation } from '../../../../request/operation.js';
import type { IdempotentResponse } from '../../../../request/response.js';
import { HttpResponse } from '../../../../request/response.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { decided } from '../../../../shared/decision.js';
import { ManageWebhookEndpoints } from '../../application/manage-webhook-endpoints.js';
import { type Attempt, WebhookEndpoints } from '../../application/ports.js';
import { WEBHOOK_ENDPOINT_ID, type WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { DELIVERY, deliveryView } from '../representation/deliveries.views.js';
import { deletedView, webhookEndpointView, withSecretView } from '../representation/webhook-endpoints.views.js';
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  ListWebhookEndpointsQuery,
  RotateEndpointSecretRequest,
  toChange,
  toNewEndpoint,
  toOverlap,
} from './webhook-endpoints.requests.js';
import { OF_LEDGER, OF_ORGANIZATION, type Surface } from './webhook-endpoints.surfaces.js';

function controllerFor({ path, owner, organizations, schemas, Serving, operation, as, shown }: Surface) {
  const answer = (view: Parameters<typeof shown>[0]) => ({ status: 200, body: JSON.stringify(shown(view)) });

  @Serving()
  class WebhookEndpointsController {
    constructor(
      private readonly idempotency: Idempotency,
      private readonly endpoints: WebhookEndpoints,
      private readonly manage: ManageWebhookEndpoints,
    ) {}

    @Operation(operation('create'), {
      summary: `Create a webhook endpoint${as}`,
      description: `Creates an endpoint that receives the events of ${organizations} in the mode of the key. Each mode has at most 16 endpoints. The secret is returned only here and when you rotate it.`,
      answers: {
        201: { description: 'The endpoint with its secret.', schema: schemas.withSecret, located: true },
      },
    })
    @Post()
    @IdempotencyKey('required')
    create(
      @CallerOfKey() caller: Caller,
      @Keyed(CreateWebhookEndpointRequest) request: KeyedRequest<CreateWebhookEndpointRequest>,
    ): Promise<IdempotentResponse> {
      return this.idempotency.once(
        caller,
        request,
        () => this.manage.create(caller, toNewEndpoint(request.body)),
        (created) => ({
          ...answer(withSecretView(created)),
          status: 201,
          location: `${path}/${created.endpoint.state.id}`,
          hasSecret: true,
        }),
      );
    }

    @Operation(operation('list', 's'), {
      summary: `List webhook endpoints${as}`,
      description: `Lists the webhook endpoints of ${owner} in the mode of the key, newest first.`,
      answers: { 200: { description: 'A page of endpoints.', schema: schemas.list } },
    })
    @Get()
    async list(@CallerOfKey() caller: Caller, @ValidQuery() query: ListWebhookEndpointsQuery) {
      return listResponse(await this.endpoints.list(caller, pageRequest(query)), (endpoint) =>
        shown(webhookEndpointView(endpoint)),
      );
    }

    @Operation(operation('read'), {
      summary: `Retrieve a webhook endpoint${as}`,
      answers: { 200: { description: 'The endpoint.', schema: schemas.endpoint } },
    })
    @Get(':id')
    async read(
      @CallerOfKey() caller: Caller,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
      @ValidQuery() _query: NoFieldsRequest,
    ) {
      return shown(webhookEndpointView(await this.endpoints.get(caller, id)));
    }

    @Operation(operation('change'), {
      summary: `Change a webhook endpoint${as}`,
      description: 'Changes only the given fields. `enabled: true` enables an endpoint that Tillgate disabled.',
      answers: { 200: { description: 'The endpoint.', schema: schemas.endpoint } },
    })
    @Post(':id')
    @IdempotencyKey('accepted')
    change(
      @CallerOfKey() caller: Caller,
      @Keyed(ChangeWebhookEndpointRequest) request: KeyedRequest<ChangeWebhookEndpointRequest>,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    ): Promise<IdempotentResponse> {
      return this.idempotency.once(
        caller,
        request,
        () => this.manage.change(caller, id, toChange(request.body)),
        (endpoint) => answer(webhookEndpointView(endpoint)),
      );
    }

    @Operation(operation('delete'), {
      summary: `Delete a webhook endpoint${as}`,
      description: 'Deletes an endpoint. Its unfinished deliveries are canceled.',
      answers: { 200: { description: 'The deleted endpoint.', schema: schemas.deleted } },
    })
    @Delete(':id')
    async delete(@CallerOfKey() caller: Caller, @PathId(WEBHOOK_ENDPOINT_ID) id: string): Promise<HttpResponse> {
      return this.idempotency.withoutKey(
        () => this.manage.delete(caller, id),
        (endpoint) => answer(deletedView(endpoint)),
      );
    }

    @Operation(operation('rotate', 'Secret'), {
      summary: `Rotate the secret of a webhook endpoint${as}`,
      description:
        'Creates a new secret. For `overlap_seconds`, webhooks are signed with both the new and the previous secret. An older secret stops at once.',
      answers: { 200: { description: 'The endpoint with its new secret.', schema: schemas.withSecret } },
    })
    @Post(':id/rotate_secret')
    @IdempotencyKey('accepted')
    rotateSecret(
      @CallerOfKey() caller: Caller,
      @Keyed(RotateEndpointSecretRequest) request: KeyedRequest<RotateEndpointSecretRequest>,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    ): Promise<IdempotentResponse> {
      return this.idempotency.once(
        caller,
        request,
        () => this.manage.rotateSecret(caller, id, toOverlap(request.body)),
        (rotated) => ({ ...answer(withSecretView(rotated)), hasSecret: true }),
      );
    }

    @Operation(operation('test'), {
      summary: `Test a webhook endpoint${as}`,
      description: 'Sends one `webhook.test` event to the endpoint and returns the result. A failure is not retried.',
      answers: { 200: { description: 'The attempt.', schema: DELIVERY } },
    })
    @Post(':id/test')
    @IdempotencyKey('accepted')
    test(
      @CallerOfKey() caller: Caller,
      @Keyed(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    ): Promise<IdempotentResponse> {
      const represent = (endpoint: WebhookEndpoint) => JSON.stringify(webhookEndpointView(endpoint));
      let sent: Promise<Attempt> | undefined;
      return this.idempotency.once(
        caller,
        { ...request, hasEffect: true },
        async () => {
          sent ??= this.manage.test(caller, id, represent);
          return decided(await sent);
        },
        (attempt) => ({ status: 200, body: JSON.stringify(deliveryView(attempt)) }),
      );
    }
  }
  return WebhookEndpointsController;
}

export const WebhookEndpointsController = controllerFor(OF_ORGANIZATION);
export const LedgerWebhookEndpointsController = controllerFor(OF_LEDGER);
