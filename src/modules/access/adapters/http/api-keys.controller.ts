import { Controller, Get, Post } from '@nestjs/common';
import { OperatorKey } from '../../../../request/credential.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag } from '../../../../request/operation.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { ManageApiKeys } from '../../application/manage-api-keys.js';
import { API_KEY_ID, OWNED_KINDS } from '../../domain/api-key.js';
import { API_KEY, API_KEY_LIST, API_KEY_WITH_KEY, apiKeyView, withKeyView } from '../representation/api-keys.views.js';
import { CreateApiKeyRequest, ListApiKeysQuery, RotateApiKeyRequest } from './operator.requests.js';
import { inPath, OperatorWrites } from './operator-writes.js';

@Controller('/operator/v1')
@OperatorKey()
@Tag('Operator: API keys', 'Keys of organizations.')
export class ApiKeysController {
  constructor(
    private readonly writes: OperatorWrites,
    private readonly keys: ManageApiKeys,
  ) {}

  @Operation('createApiKey', {
    summary: 'Create a key of an organization',
    description: 'Creates a key. It is returned only here and when the request is repeated with its idempotency key.',
    answers: { 201: { description: 'The key.', schema: API_KEY_WITH_KEY } },
  })
  @Post('organizations/:id/api_keys')
  @IdempotencyKey('required')
  create(
    @Keyed(CreateApiKeyRequest) request: KeyedRequest<CreateApiKeyRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ) {
    const { kind = 'secret', expires_at, ...terms } = request.body;
    const input = { ...terms, kind, organization, expiresAt: expires_at && expires_at * 1000 };
    const about = () => ({ status: 201, hasSecret: true });
    return this.writes.once(request, () => this.keys.create(input), withKeyView, about);
  }

  @Operation('listApiKeys', {
    summary: 'List the keys of an organization',
    description: 'Lists all keys of an organization, newest first, also those that are revoked or expired.',
    answers: { 200: { description: 'A page of keys.', schema: API_KEY_LIST } },
  })
  @Get('organizations/:id/api_keys')
  async list(@PathId(ORGANIZATION_ID) organization: string, @ValidQuery() query: ListApiKeysQuery) {
    return listResponse(await inPath(this.keys.list(organization, pageRequest(query))), apiKeyView);
  }

  @Operation('revokeApiKey', {
    summary: 'Revoke a key',
    description: 'Ends a key. It stops everywhere within 5 seconds.',
    answers: { 200: { description: 'The revoked key.', schema: API_KEY } },
  })
  @Post('api_keys/:id/revoke')
  @IdempotencyKey('accepted')
  revoke(@Keyed(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>, @PathId(API_KEY_ID) id: string) {
    return this.writes.once(request, () => this.keys.revoke(id, OWNED_KINDS), apiKeyView);
  }

  @Operation('rotateApiKey', {
    summary: 'Rotate a key',
    description:
      'Creates a key with the holder, rights and origins of the old one, which still works for `overlap_seconds`.',
    answers: { 200: { description: 'The new key.', schema: API_KEY_WITH_KEY } },
  })
  @Post('api_keys/:id/rotate')
  @IdempotencyKey('accepted')
  rotate(@Keyed(RotateApiKeyRequest) request: KeyedRequest<RotateApiKeyRequest>, @PathId(API_KEY_ID) id: string) {
    const { overlap_seconds: overlap, expires_at } = request.body;
    const rotation = { overlap: overlap && overlap * 1000, expiresAt: expires_at && expires_at * 1000 };
    const rotate = () => this.keys.rotate(id, rotation, OWNED_KINDS);
    return this.writes.once(request, rotate, withKeyView, () => ({ hasSecret: true }));
  }
}
