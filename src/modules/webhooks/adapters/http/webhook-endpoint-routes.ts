import { Injectable } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import type { KeyedRequest } from '../../../../request/idempotency/keyed-request.js';
import { changed, HttpResponse, listResponse } from '../../../../request/response.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Author } from '../../../../shared/unit.js';
import {
  ManageWebhookEndpoints,
  type WithSecret,
} from '../../application/manage-webhook-endpoints.js';
import { type Attempt, WebhookEndpoints } from '../../application/ports.js';
import { TestWebhookEndpoint } from '../../application/test-webhook-endpoint.js';
import type { WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { deliveryView } from '../representation/deliveries.views.js';
import {
  deletedView,
  webhookEndpointJson,
  webhookEndpointView,
  withSecretView,
} from '../representation/webhook-endpoints.views.js';
import {
  type ChangeWebhookEndpointRequest,
  type CreateWebhookEndpointRequest,
  type ListWebhookEndpointsQuery,
  type RotateEndpointSecretRequest,
  toOverlap,
} from './webhook-endpoints.requests.js';

interface Shown {
  readonly id: string;
  readonly object: string;
}

/** Endpoints of organizations and endpoints of the ledger are shown on surfaces of their own. */
export interface EndpointSurface {
  readonly path: string;
  /** Returns the view as the surface shows it. */
  readonly show: <View extends Shown>(view: View) => View;
}

/** The controllers of both surfaces share these routes. */
@Injectable()
export class WebhookEndpointRoutes {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly endpoints: WebhookEndpoints,
    private readonly manage: ManageWebhookEndpoints,
    private readonly testEndpoint: TestWebhookEndpoint,
  ) {}

  create(
    surface: EndpointSurface,
    caller: Caller,
    request: KeyedRequest<CreateWebhookEndpointRequest>,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.manage.create(unit, request.body),
      (made) => created(surface, made),
    );
  }

  async list({ show }: EndpointSurface, caller: Caller, query: ListWebhookEndpointsQuery) {
    const page = await this.endpoints.list(caller, pageRequest(query));
    return listResponse(page, (endpoint) => show(webhookEndpointView(endpoint)));
  }

  async read({ show }: EndpointSurface, caller: Caller, id: string) {
    return show(webhookEndpointView(await this.endpoints.get(caller, id)));
  }

  change(
    { show }: EndpointSurface,
    caller: Caller,
    request: KeyedRequest<ChangeWebhookEndpointRequest>,
    id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.manage.change(unit, id, request.body),
      (endpoint) => changed(show(webhookEndpointView(endpoint))),
    );
  }

  delete({ show }: EndpointSurface, caller: Caller, author: Author, id: string) {
    return this.idempotency.withoutKey(
      caller,
      (unit) => this.manage.delete(unit, id),
      (endpoint: WebhookEndpoint) => changed(show(deletedView(endpoint))),
      author,
    );
  }

  rotateSecret(
    surface: EndpointSurface,
    caller: Caller,
    request: KeyedRequest<RotateEndpointSecretRequest>,
    id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.manage.rotateSecret(unit, id, toOverlap(request.body)),
      (rotated) => withSecret(surface, rotated),
    );
  }

  test(caller: Caller, request: KeyedRequest, id: string) {
    return this.idempotency.onceWithEffect(
      caller,
      request,
      () => this.testEndpoint.execute(caller, id, webhookEndpointJson),
      (attempt: Attempt) => changed(deliveryView(attempt)),
    );
  }
}

const withSecret = ({ show }: EndpointSurface, rotated: WithSecret): HttpResponse =>
  new HttpResponse({ ...changed(show(withSecretView(rotated))), hasSecret: true });

const created = (surface: EndpointSurface, made: WithSecret): HttpResponse =>
  new HttpResponse({
    ...withSecret(surface, made),
    status: 201,
    location: `${surface.path}/${made.endpoint.id}`,
  });
