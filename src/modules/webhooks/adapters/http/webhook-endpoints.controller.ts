import { Controller, Delete, Get, Post } from '@nestjs/common';
import {
  Idempotency,
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/idempotency.js';
import {
  HttpResponse,
  type IdempotentResponse,
  listResponse,
} from '../../../../request/response.js';
import { CallerOfKey, LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { withOrganization } from '../../../../request/schema.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import {
  Keyed,
  NoFieldsRequest,
  PathId,
  ValidQuery,
} from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { pageOf } from '../../../../shared/page.js';
import { ManageWebhookEndpoints } from '../../application/manage-webhook-endpoints.js';
import { type Attempt, WebhookEndpoints } from '../../application/ports.js';
import { WEBHOOK_ENDPOINT_ID, type WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_FACTS } from '../../facts.js';
import { DELIVERY, deliveryView } from '../representation/deliveries.views.js';
import * as views from '../representation/webhook-endpoints.views.js';
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  DEFAULT_OVERLAP,
  ListWebhookEndpointsQuery,
  RotateEndpointSecretRequest,
} from './webhook-endpoints.requests.js';

type View = Pick<ReturnType<typeof views.webhookEndpointView>, 'id' | 'object'>;

/** The endpoints of an organization, and those of the ledger. */
function controllerFor(surface: 'secret' | 'ledger') {
  const isLedgers = surface === 'ledger';
  const { path } = WEBHOOK_ENDPOINT_FACTS[surface];
  const [schemas, as] = isLedgers
    ? [views.LEDGER_ENDPOINT, ' as the ledger']
    : [views.ENDPOINT, ''];
  const [owner, whose] = isLedgers
    ? ['the ledger', 'every organization']
    : ['your organization', 'your organization'];
  const [tag, what] = isLedgers
    ? ['Ledger: webhook endpoints', 'URLs to which the events of all organizations are sent.']
    : ['Webhook endpoints', 'URLs to which the events of your organization are sent.'];
  const operation = (verb: string, suffix = '') =>
    `${verb}${isLedgers ? 'Ledger' : ''}WebhookEndpoint${suffix}`;
  const shown = <Shown extends View>(view: Shown) =>
    isLedgers ? withOrganization(null, view) : view;
  const answer = (view: View) => ({ status: 200, body: JSON.stringify(shown(view)) });

  @Controller(path)
  @(isLedgers ? LedgerKey() : () => undefined)
  @Tag(tag, what)
  class WebhookEndpointsController {
    constructor(
      private readonly idempotency: Idempotency,
      private readonly endpoints: WebhookEndpoints,
      private readonly manage: ManageWebhookEndpoints,
    ) {}

    @Operation(operation('create'), {
      summary: `Create a webhook endpoint${as}`,
      description: `Creates an endpoint that receives the events of ${whose} in the mode of the key. Each mode has at most 16 endpoints. The secret is returned only here and when you rotate it.`,
      answers: {
        201: {
          description: 'The endpoint with its secret.',
          schema: schemas.withSecret,
          located: true,
        },
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
        (unit) => this.manage.create(unit, request.body),
        (created) => ({
          ...answer(views.withSecretView(created)),
          status: 201,
          location: `${path}/${created.endpoint.id}`,
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
      const { cursor, limit } = pageRequest(query);
      const all = (await this.endpoints.all(caller)).map((endpoint) =>
        shown(views.webhookEndpointView(endpoint)),
      );
      const left = all.filter(({ id }) => cursor === undefined || id < cursor);
      return listResponse(pageOf(left, limit), (view) => view);
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
      return shown(views.webhookEndpointView(await this.endpoints.get(caller, id)));
    }

    @Operation(operation('change'), {
      summary: `Change a webhook endpoint${as}`,
      description:
        'Changes only the given fields. `enabled: true` enables an endpoint that Tillgate disabled.',
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
        (unit) => this.manage.change(unit, id, request.body),
        (endpoint) => answer(views.webhookEndpointView(endpoint)),
      );
    }

    @Operation(operation('delete'), {
      summary: `Delete a webhook endpoint${as}`,
      description: 'Deletes an endpoint. Its unfinished deliveries are canceled.',
      answers: { 200: { description: 'The deleted endpoint.', schema: schemas.deleted } },
    })
    @Delete(':id')
    async delete(
      @CallerOfKey() caller: Caller,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    ): Promise<HttpResponse> {
      return this.idempotency.withoutKey(
        caller,
        (unit) => this.manage.delete(unit, id),
        (endpoint) => answer(views.deletedView(endpoint)),
      );
    }

    @Operation(operation('rotate', 'Secret'), {
      summary: `Rotate the secret of a webhook endpoint${as}`,
      description:
        'Creates a new secret. For `overlap_seconds`, webhooks are signed with both the new and the previous secret. An older secret stops at once.',
      answers: {
        200: { description: 'The endpoint with its new secret.', schema: schemas.withSecret },
      },
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
        (unit) =>
          this.manage.rotateSecret(unit, id, request.body.overlap_seconds ?? DEFAULT_OVERLAP),
        (rotated) => ({ ...answer(views.withSecretView(rotated)), hasSecret: true }),
      );
    }

    @Operation(operation('test'), {
      summary: `Test a webhook endpoint${as}`,
      description:
        'Sends one `webhook.test` event to the endpoint and returns the result. A failure is not retried.',
      answers: { 200: { description: 'The attempt.', schema: DELIVERY } },
    })
    @Post(':id/test')
    @IdempotencyKey('accepted')
    test(
      @CallerOfKey() caller: Caller,
      @Keyed(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
      @PathId(WEBHOOK_ENDPOINT_ID) id: string,
    ): Promise<IdempotentResponse> {
      const represent = (endpoint: WebhookEndpoint) =>
        JSON.stringify(views.webhookEndpointView(endpoint));
      let sent: Promise<Attempt> | undefined;
      return this.idempotency.once(
        caller,
        { ...request, hasEffect: true },
        async () => {
          sent ??= this.manage.test(caller, id, represent);
          return sent;
        },
        (attempt) => ({ status: 200, body: JSON.stringify(deliveryView(attempt)) }),
      );
    }
  }
  return WebhookEndpointsController;
}

export const WebhookEndpointsController = controllerFor('secret');
export const LedgerWebhookEndpointsController = controllerFor('ledger');
