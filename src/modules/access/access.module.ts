import { Global, Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { CallerClock } from '../../shared/clock.js';
import { RATE_LIMITED } from '../../shared/errors.js';
import { FailuresByAddress } from './adapters/http/failures-by-address.js';
import { INVALID_API_KEY, KeyGuard, unauthorized } from './adapters/http/key.guard.js';
import {
  ApiKeysController,
  OrganizationsController,
} from './adapters/http/operator.controllers.js';
import { OperatorEventsController } from './adapters/http/operator-events.controller.js';
import { ORIGIN_NOT_ALLOWED, OriginGuard, originNotAllowed } from './adapters/http/origin.guard.js';
import { PreflightController } from './adapters/http/preflight.controller.js';
import { RateLimitGuard, rateLimited } from './adapters/http/rate-limit.guard.js';
import { RIGHT_MISSING, RightGuard, rightMissing } from './adapters/http/right.guard.js';
import { ApiKeyRecord } from './adapters/persistence/api-key.record.js';
import { OperatorEventRecord } from './adapters/persistence/operator-event.record.js';
import {
  OrganizationRecord,
  PaymentUrlRecord,
} from './adapters/persistence/organization.record.js';
import { CLOCK_WORK } from './adapters/persistence/pending-work.js';
import { TestClockRecord } from './adapters/persistence/test-clock.record.js';
import { TypeormApiKeys } from './adapters/persistence/typeorm-api-keys.js';
import { TypeormCallerClock } from './adapters/persistence/typeorm-caller-clock.js';
import { TypeormOrganizations } from './adapters/persistence/typeorm-organizations.js';
import { TypeormTestClocks } from './adapters/persistence/typeorm-test-clocks.js';
import { TypeormTrail } from './adapters/persistence/typeorm-trail.js';
import { UNUSED_OPERATOR_KEYS } from './adapters/persistence/unused-operator-keys.js';
import { AdvanceTestClock } from './application/advance-test-clock.js';
import { Authenticate } from './application/authenticate.js';
import { ManageApiKeys } from './application/manage-api-keys.js';
import { ManageOrganizations } from './application/manage-organizations.js';
import { ApiKeys, Organizations, TestClocks, Trail } from './application/ports.js';
import { ORGANIZATION_REFERENCE_REUSED } from './domain/organization.js';
import { OPERATOR_EVENT_RESOURCE, ORGANIZATION_RESOURCE } from './resources.js';

const USE_CASES = [
  AdvanceTestClock,
  Authenticate,
  FailuresByAddress,
  ManageApiKeys,
  ManageOrganizations,
];

/**
 * Authenticates callers, and lets the platform register its merchants by program. The module is
 * global, because AppModule runs its guards before every route.
 */
@Global()
@Module({
  controllers: [
    PreflightController,
    OrganizationsController,
    ApiKeysController,
    OperatorEventsController,
  ],
  providers: [
    ...USE_CASES,
    { provide: ApiKeys, useClass: TypeormApiKeys },
    { provide: CallerClock, useClass: TypeormCallerClock },
    { provide: Organizations, useClass: TypeormOrganizations },
    { provide: TestClocks, useClass: TypeormTestClocks },
    { provide: Trail, useClass: TypeormTrail },
  ],
  exports: [...USE_CASES, CallerClock, Organizations, TestClocks, Trail],
})
class AccessModule {}

export const ACCESS: ModuleDeclaration = {
  module: AccessModule,
  records: [
    OrganizationRecord,
    PaymentUrlRecord,
    ApiKeyRecord,
    TestClockRecord,
    OperatorEventRecord,
  ],
  resources: [ORGANIZATION_RESOURCE, OPERATOR_EVENT_RESOURCE],
  errors: [
    INVALID_API_KEY,
    ORIGIN_NOT_ALLOWED,
    RIGHT_MISSING,
    RATE_LIMITED,
    ORGANIZATION_REFERENCE_REUSED,
  ],
  diagnoses: [UNUSED_OPERATOR_KEYS],
  jobWork: [CLOCK_WORK],
  guards: [KeyGuard, OriginGuard, RightGuard, RateLimitGuard],
  guardRefusals: [unauthorized(), originNotAllowed(), rightMissing(), rateLimited(100)],
};
