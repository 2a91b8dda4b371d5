import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { PageModule } from '../page/index.js';
import { ApiKeysController } from './adapters/http/api-keys.controller.js';
import { OperatorWrites } from './adapters/http/operator-writes.js';
import { OrganizationsController } from './adapters/http/organizations.controller.js';
import { ManageMerchants } from './application/manage-merchants.js';
import { ORGANIZATION_FACTS } from './facts.js';

/** Lets the platform sign its merchants up by program: the operator's API, over the use cases of the command line. */
@Module({
  imports: [PageModule],
  controllers: [OrganizationsController, ApiKeysController],
  providers: [ManageMerchants, OperatorWrites],
  exports: [ManageMerchants],
})
class ProvisioningModule {}

export const PROVISIONING: ModuleFacts = { module: ProvisioningModule, resources: [ORGANIZATION_FACTS] };
