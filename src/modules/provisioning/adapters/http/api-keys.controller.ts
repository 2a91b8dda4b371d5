import { Controller, Get, Post } from '@nestjs/common';
import { CallerOfKey, OperatorKey } from '../../../../request/credential.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag } from '../../../../request/operation.js';
import type { IdempotentResponse } from '../../../../request/response.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { API_KEY_ID, type IssuedApiKey, ManageApiKeys } from '../../../access/index.js';
import { ManageMerchants } from '../../application/manage-merchants.js';
import { API_KEY, API_KEY_LIST, API_KEY_WITH_KEY, apiKeyView, withKeyView } from '../representation/api-keys.views.js';
import { OperatorWrites } from './operator-writes.js';
import {
  CreateApiKeyRequest,
  ListApiKeysQuery,
  RotateApiKeyRequest,
  toNewKey,
  toRotation,
} from './provisioning.requests.js';

const issued = (status: number) => (issued: IssuedApiKey) => ({
  status,
  body: JSON.stringify(withKeyView(issued)),
  hasSecret: true,
});

@Controller('/operator/v1')
@OperatorKey()
@Tag('Operator: API keys', 'Keys of organizations.')
export class ApiKeysController {
  constructor(
    private readonly writes: OperatorWrites,
    private readonly keys: ManageApiKeys,
    private readonly merchants: ManageMerchants,
  ) {}

  @Operation('createApiKey', {
    summary: 'Create a key of an organization',
    description: 'Creates a key. It is returned only here and when the request is repeated with its idempotency key.',
    answers: { 201: { description: 'The key.', schema: API_KEY_WITH_KEY } },
  })
  @Post('organizations/:id/api_keys')
  @IdempotencyKey('required')
  create(
    @CallerOfKey() caller: Caller,
    @Keyed(CreateApiKeyRequest) request: KeyedRequest<CreateApiKeyRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ): Promise<IdempotentResponse> {
    const write = async () => {
      await this.merchants.require(organization);
      return this.keys.create(toNewKey(organization, request.body));
    };
    return this.writes.once(caller, request, write, issued(201));
  }

  @Operation('listApiKeys', {
    summary: 'List the keys of an organization',
    description: 'Lists all keys of an organization, newest first, also those that are revoked or expired.',
    answers: { 200: { description: 'A page of keys.', schema: API_KEY_LIST } },
  })
  @Get('organizations/:id/api_keys')
  async list(@PathId(ORGANIZATION_ID) organization: string, @ValidQuery() query: ListApiKeysQuery) {
    await this.merchants.require(organization);
    return listResponse(await this.keys.page(organization, pageRequest(query)), apiKeyView);
  }

  @Operation('revokeApiKey', {
    summary: 'Revoke a key',
    description: 'Ends a key. It stops everywhere within 5 seconds.',
    answers: { 200: { description: 'The revoked key.', schema: API_KEY } },
  })
  @Post('api_keys/:id/revoke')
  @IdempotencyKey('accepted')
  async revoke(
    @CallerOfKey() caller: Caller,
    @Keyed(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(API_KEY_ID) id: string,
  ): Promise<IdempotentResponse> {
    const write = async () => {
      await this.keys.requireOwned(id);
      return this.keys.revoke(id);
    };
    const response = await this.writes.once(caller, request, write, (key) => ({
      status: 200,
      body: JSON.stringify(apiKeyView(key)),
    }));
    this.keys.forget();
    return response;
  }

  @Operation('rotateApiKey', {
    summary: 'Rotate a key',
    description:
      'Creates a key with the holder, rights and origins of the old one, which still works for `overlap_seconds`.',
    answers: { 200: { description: 'The new key.', schema: API_KEY_WITH_KEY } },
  })
  @Post('api_keys/:id/rotate')
  @IdempotencyKey('accepted')
  async rotate(
    @CallerOfKey() caller: Caller,
    @Keyed(RotateApiKeyRequest) request: KeyedRequest<RotateApiKeyRequest>,
    @PathId(API_KEY_ID) id: string,
  ): Promise<IdempotentResponse> {
    const write = async () => {
      await this.keys.requireOwned(id);
      return this.keys.rotate(id, toRotation(request.body));
    };
    const response = await this.writes.once(caller, request, write, issued(200));
    this.keys.forget();
    return response;
  }
}
