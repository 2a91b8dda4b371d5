import { Controller, Get, Post } from '@nestjs/common';
import { CallerOfKey, OperatorKey } from '../../../../request/credential.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag } from '../../../../request/operation.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { ManageOrganizations, ManageWebhookSecret } from '../../../access/index.js';
import { ManageMerchants } from '../../application/manage-merchants.js';
import { ORGANIZATION_FACTS } from '../../facts.js';
import {
  ORGANIZATION,
  ORGANIZATION_LIST,
  organizationView,
  WEBHOOK_SECRET,
} from '../representation/organizations.views.js';
import { OperatorWrites } from './operator-writes.js';
import {
  ChangeOrganizationRequest,
  CreateOrganizationRequest,
  ListOrganizationsQuery,
  RotateWebhookSecretRequest,
  toChange,
} from './provisioning.requests.js';

const { path } = ORGANIZATION_FACTS.operator;

@Controller(path)
@OperatorKey()
@Tag('Operator: organizations', 'Merchants that a platform signs up by program.')
export class OrganizationsController {
  constructor(
    private readonly writes: OperatorWrites,
    private readonly organizations: ManageOrganizations,
    private readonly merchants: ManageMerchants,
    private readonly webhookSecret: ManageWebhookSecret,
  ) {}

  @Operation('createOrganization', {
    summary: 'Create an organization',
    description:
      'Creates an organization, which has no key yet. Repeating a request with the same `reference` returns the first organization.',
    answers: {
      201: { description: 'The organization.', schema: ORGANIZATION, located: true },
      200: { description: 'The organization that was created earlier with this `reference`.', schema: ORGANIZATION },
    },
  })
  @Post()
  @IdempotencyKey('required')
  create(
    @CallerOfKey() caller: Caller,
    @Keyed(CreateOrganizationRequest) request: KeyedRequest<CreateOrganizationRequest>,
  ) {
    const { name, reference } = request.body;
    const write = async () => {
      const { organization, isNew } = await this.organizations.createOnce(name, reference ?? null);
      return { isNew, merchant: await this.merchants.of(organization) };
    };
    return this.writes.once(caller, request, write, ({ isNew, merchant }) => ({
      status: isNew ? 201 : 200,
      body: JSON.stringify(organizationView(merchant)),
      location: isNew ? `${path}/${merchant.organization.id}` : null,
    }));
  }

  @Operation('listOrganizations', {
    summary: 'List organizations',
    description: 'Lists all organizations, newest first.',
    answers: { 200: { description: 'A page of organizations.', schema: ORGANIZATION_LIST } },
  })
  @Get()
  async list(@ValidQuery() query: ListOrganizationsQuery) {
    return listResponse(await this.merchants.list(pageRequest(query), query.reference), organizationView);
  }

  @Operation('readOrganization', {
    summary: 'Retrieve an organization',
    answers: { 200: { description: 'The organization.', schema: ORGANIZATION } },
  })
  @Get(':id')
  async read(@PathId(ORGANIZATION_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    await this.merchants.require(id);
    return organizationView(await this.merchants.get(id));
  }

  @Operation('changeOrganization', {
    summary: 'Change an organization',
    description: 'Changes only the given fields.',
    answers: { 200: { description: 'The organization.', schema: ORGANIZATION } },
  })
  @Post(':id')
  @IdempotencyKey('accepted')
  change(
    @CallerOfKey() caller: Caller,
    @Keyed(ChangeOrganizationRequest) request: KeyedRequest<ChangeOrganizationRequest>,
    @PathId(ORGANIZATION_ID) id: string,
  ) {
    const write = async () => {
      await this.merchants.require(id);
      return this.merchants.change(id, toChange(request.body));
    };
    return this.writes.once(caller, request, write, (merchant) => ({
      status: 200,
      body: JSON.stringify(organizationView(merchant)),
    }));
  }

  @Operation('rotateOrganizationWebhookSecret', {
    summary: 'Rotate the webhook secret of an organization',
    description:
      'Creates a new secret for the webhooks to a `notify_url`. For `overlap_seconds`, they are signed with both the new and the previous secret. An older secret stops at once.',
    answers: { 200: { description: 'The new secret.', schema: WEBHOOK_SECRET } },
  })
  @Post(':id/webhook_secret/rotate')
  @IdempotencyKey('accepted')
  rotateSecret(
    @CallerOfKey() caller: Caller,
    @Keyed(RotateWebhookSecretRequest) request: KeyedRequest<RotateWebhookSecretRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ) {
    const { overlap_seconds: overlap } = request.body;
    const write = async () => {
      await this.merchants.require(organization);
      return this.webhookSecret.rotate(organization, overlap === undefined ? undefined : overlap * 1000);
    };
    return this.writes.once(caller, request, write, ({ secret, previousExpiresAt }) => {
      const previous_expires_at = Math.floor(previousExpiresAt / 1000);
      const body = JSON.stringify({ object: 'webhook_secret', organization, secret, previous_expires_at });
      return { status: 200, body, hasSecret: true };
    });
  }
}
