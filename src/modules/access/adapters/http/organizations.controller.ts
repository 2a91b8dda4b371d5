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
import { ManageOrganizations } from '../../application/manage-organizations.js';
import { Organizations } from '../../application/ports.js';
import { ORGANIZATION_FACTS } from '../../facts.js';
import {
  ORGANIZATION,
  ORGANIZATION_LIST,
  organizationView,
  WEBHOOK_SECRET,
  webhookSecretView,
} from '../representation/organizations.views.js';
import {
  ChangeOrganizationRequest,
  CreateOrganizationRequest,
  ListOrganizationsQuery,
  RotateWebhookSecretRequest,
  toChange,
} from './operator.requests.js';
import { inPath, OperatorWrites } from './operator-writes.js';

const { path } = ORGANIZATION_FACTS.operator;

@Controller(path)
@OperatorKey()
@Tag('Operator: organizations', 'Merchants that a platform signs up by program.')
export class OrganizationsController {
  constructor(
    private readonly writes: OperatorWrites,
    private readonly organizations: Organizations,
    private readonly manage: ManageOrganizations,
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
  create(@Keyed(CreateOrganizationRequest) request: KeyedRequest<CreateOrganizationRequest>) {
    const { name, reference } = request.body;
    return this.writes.once(
      request,
      () => this.manage.createOnce(name, reference ?? null),
      ({ organization }) => organizationView(organization),
      ({ organization, isNew }) => (isNew ? { status: 201, location: `${path}/${organization.id}` } : {}),
    );
  }

  @Operation('listOrganizations', {
    summary: 'List organizations',
    description: 'Lists all organizations, newest first.',
    answers: { 200: { description: 'A page of organizations.', schema: ORGANIZATION_LIST } },
  })
  @Get()
  async list(@ValidQuery() query: ListOrganizationsQuery) {
    return listResponse(await this.organizations.list(pageRequest(query), query.reference), organizationView);
  }

  @Operation('readOrganization', {
    summary: 'Retrieve an organization',
    answers: { 200: { description: 'The organization.', schema: ORGANIZATION } },
  })
  @Get(':id')
  async read(@PathId(ORGANIZATION_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    return organizationView(await inPath(this.organizations.byId(id)));
  }

  @Operation('changeOrganization', {
    summary: 'Change an organization',
    description: 'Changes only the given fields.',
    answers: { 200: { description: 'The organization.', schema: ORGANIZATION } },
  })
  @Post(':id')
  @IdempotencyKey('accepted')
  change(
    @Keyed(ChangeOrganizationRequest) request: KeyedRequest<ChangeOrganizationRequest>,
    @PathId(ORGANIZATION_ID) id: string,
  ) {
    return this.writes.once(request, () => this.manage.change(id, toChange(request.body)), organizationView);
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
    @Keyed(RotateWebhookSecretRequest) request: KeyedRequest<RotateWebhookSecretRequest>,
    @PathId(ORGANIZATION_ID) organization: string,
  ) {
    const { overlap_seconds: overlap } = request.body;
    const rotate = () => this.manage.rotateWebhookSecret(organization, overlap && overlap * 1000);
    return this.writes.once(request, rotate, webhookSecretView, () => ({ hasSecret: true }));
  }
}
