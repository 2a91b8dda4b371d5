import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { changed, HttpResponse, listResponse } from '../../../../request/response.js';
import { Operation, OperatorKey, Tag } from '../../../../request/route.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { ManageApiKeys } from '../../application/manage-api-keys.js';
import { ManageOrganizations } from '../../application/manage-organizations.js';
import { Organizations } from '../../application/ports.js';
import { API_KEY_ID, OWNED_KINDS } from '../../domain/api-key.js';
import { ORGANIZATION_RESOURCE } from '../../resources.js';
import * as shown from '../representation/operator.views.js';
import * as asked from './operator.requests.js';

const { path } = ORGANIZATION_RESOURCE.operator;

@Controller(path)
@OperatorKey()
@Tag('Operator: organizations', 'Merchants that a platform signs up by program.')
export class OrganizationsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly organizations: Organizations,
    private readonly manage: ManageOrganizations,
  ) {}

  @Operation('createOrganization', {
    summary: 'Create an organization',
    description:
      'Creates an organization, which has no key yet. Repeating a request with the same ' +
      '`reference` returns the first organization.',
    answers: {
      201: { description: 'The organization.', schema: shown.ORGANIZATION, located: true },
      200: {
        description: 'The organization that was created earlier with this `reference`.',
        schema: shown.ORGANIZATION,
      },
    },
  })
  @Post()
  @IdempotencyKey('required')
  create(
    @ValidRequest(asked.CreateOrganizationRequest)
    request: KeyedRequest<asked.CreateOrganizationRequest>,
  ) {
    const { name, reference } = request.body;
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => this.manage.create(unit, name, reference ?? null),
      ({ organization, isNew }) =>
        new HttpResponse({
          ...changed(shown.organizationView(organization)),
          ...(isNew && { status: 201, location: `${path}/${organization.id}` }),
        }),
    );
  }

  @Operation('listOrganizations', {
    summary: 'List organizations',
    description: 'Lists all organizations, newest first.',
    answers: { 200: { description: 'A page of organizations.', schema: shown.ORGANIZATION_LIST } },
  })
  @Get()
  async list(@ValidQuery() query: asked.ListOrganizationsQuery) {
    return listResponse(
      await this.organizations.list(pageRequest(query), query.reference),
      shown.organizationView,
    );
  }

  @Operation('readOrganization', {
    summary: 'Retrieve an organization',
    answers: { 200: { description: 'The organization.', schema: shown.ORGANIZATION } },
  })
  @Get(':id')
  async read(@PathId(ORGANIZATION_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    return shown.organizationView(await asked.inPath(this.organizations.byId(id)));
  }

  @Operation('changeOrganization', {
    summary: 'Change an organization',
    description: 'Changes only the given fields.',
    answers: { 200: { description: 'The organization.', schema: shown.ORGANIZATION } },
  })
  @Post(':id')
  @IdempotencyKey('accepted')
  change(
    @ValidRequest(asked.ChangeOrganizationRequest)
    request: KeyedRequest<asked.ChangeOrganizationRequest>,
    @PathId(ORGANIZATION_ID) id: string,
  ) {
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => asked.inPath(this.manage.change(unit, id, asked.toChange(request.body))),
      (organization) => changed(shown.organizationView(organization)),
    );
  }

  @Operation('rotateOrganizationWebhookSecret', {
    summary: 'Rotate the webhook secret of an organization',
    description:
      'Creates a new secret for the webhooks to a `notify_url`. For `overlap_seconds`, they ' +
      'are signed with both the new and the previous secret. An older secret stops at once.',
    answers: { 200: { description: 'The new secret.', schema: shown.WEBHOOK_SECRET } },
  })
  @Post(':id/webhook_secret/rotate')
  @IdempotencyKey('accepted')
  rotateSecret(
    @ValidRequest(asked.RotateWebhookSecretRequest)
    request: KeyedRequest<asked.RotateWebhookSecretRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ) {
    const { overlap_seconds: overlap } = request.body;
    const overlapMs = overlap && overlap * 1000;
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => asked.inPath(this.manage.rotateWebhookSecret(unit, organization, overlapMs)),
      (rotated) => withSecret(shown.webhookSecretView(rotated)),
    );
  }
}

@Controller('/operator/v1')
@OperatorKey()
@Tag('Operator: API keys', 'Keys of organizations.')
export class ApiKeysController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly keys: ManageApiKeys,
  ) {}

  @Operation('createApiKey', {
    summary: 'Create a key of an organization',
    description:
      'Creates a key. It is returned only here and when the request is repeated with its ' +
      'idempotency key.',
    answers: { 201: { description: 'The key.', schema: shown.API_KEY_WITH_KEY } },
  })
  @Post('organizations/:id/api_keys')
  @IdempotencyKey('required')
  create(
    @ValidRequest(asked.CreateApiKeyRequest) request: KeyedRequest<asked.CreateApiKeyRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ) {
    const { kind = 'secret', expires_at, ...terms } = request.body;
    const input = { ...terms, kind, organization, expiresAt: expires_at && expires_at * 1000 };
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => asked.inPath(this.keys.create(unit, input)),
      (issued) => new HttpResponse({ ...withSecret(shown.withKeyView(issued)), status: 201 }),
    );
  }

  @Operation('listApiKeys', {
    summary: 'List the keys of an organization',
    description:
      'Lists all keys of an organization, newest first, also those that are revoked or expired.',
    answers: { 200: { description: 'A page of keys.', schema: shown.API_KEY_LIST } },
  })
  @Get('organizations/:id/api_keys')
  async list(
    @PathId(ORGANIZATION_ID) organization: string,
    @ValidQuery() query: asked.ListApiKeysQuery,
  ) {
    return listResponse(
      await asked.inPath(this.keys.list(organization, pageRequest(query))),
      shown.apiKeyView,
    );
  }

  @Operation('revokeApiKey', {
    summary: 'Revoke a key',
    description: 'Ends a key. It stops everywhere within 5 seconds.',
    answers: { 200: { description: 'The revoked key.', schema: shown.API_KEY } },
  })
  @Post('api_keys/:id/revoke')
  @IdempotencyKey('accepted')
  revoke(
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(API_KEY_ID) id: string,
  ) {
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => asked.inPath(this.keys.revoke(unit, id, OWNED_KINDS)),
      (revoked) => changed(shown.apiKeyView(revoked)),
    );
  }

  @Operation('rotateApiKey', {
    summary: 'Rotate a key',
    description:
      'Creates a key with the holder, rights, origins and end of the old one, which still ' +
      'works for `overlap_seconds`.',
    answers: { 200: { description: 'The new key.', schema: shown.API_KEY_WITH_KEY } },
  })
  @Post('api_keys/:id/rotate')
  @IdempotencyKey('accepted')
  rotate(
    @ValidRequest(asked.RotateApiKeyRequest) request: KeyedRequest<asked.RotateApiKeyRequest>,
    @PathId(API_KEY_ID) id: string,
  ) {
    const { overlap_seconds: overlap, expires_at } = request.body;
    const rotation = {
      overlap: overlap && overlap * 1000,
      expiresAt: expires_at && expires_at * 1000,
    };
    return this.idempotency.once(
      asked.OPERATOR,
      asked.ofPath(request),
      (unit) => asked.inPath(this.keys.rotate(unit, id, rotation, OWNED_KINDS)),
      (rotated) => withSecret(shown.withKeyView(rotated)),
    );
  }
}

const withSecret = (view: unknown): HttpResponse =>
  new HttpResponse({ ...changed(view), hasSecret: true });
