import { Global, Module } from '@nestjs/common';
import { PreflightController } from './adapters/http/preflight.controller.js';
import { TypeormApiKeys } from './adapters/persistence/typeorm-api-keys.js';
import { TypeormOrganizations } from './adapters/persistence/typeorm-organizations.js';
import { Authenticate } from './application/authenticate.js';
import { CreateOrganization } from './application/create-organization.js';
import { FindOrganization } from './application/find-organization.js';
import { ManageApiKeys } from './application/manage-api-keys.js';
import { ManageWebhookSecret } from './application/manage-webhook-secret.js';
import { ApiKeys, Organizations } from './application/ports.js';

/** Who is calling. Global: its guards stand before every route. */
@Global()
@Module({
  controllers: [PreflightController],
  providers: [
    Authenticate,
    CreateOrganization,
    FindOrganization,
    ManageApiKeys,
    ManageWebhookSecret,
    { provide: ApiKeys, useClass: TypeormApiKeys },
    { provide: Organizations, useClass: TypeormOrganizations },
  ],
  exports: [Authenticate, CreateOrganization, FindOrganization, ManageApiKeys, ManageWebhookSecret],
})
export class AccessModule {}
