import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import * as declared from './modules.js';
import { ReferenceController } from './operator/openapi/reference.controller.js';
import { PLATFORM_METRICS } from './operator/telemetry/metrics.js';
import { TelemetryModule } from './operator/telemetry/telemetry.module.js';
import { Database } from './persistence/database.js';
import { ENCRYPTION, Encryption } from './persistence/encryption/encryption.js';
import { Reencryption } from './persistence/encryption/reencryption.js';
import { StoredOwners } from './persistence/owners.js';
import { PendingWork } from './persistence/pending-work.js';
import { Units } from './persistence/units.js';
import { Config, isLoopback } from './platform/config.js';
import { Jobs } from './platform/jobs.js';
import {
  type Declaration,
  Declarations,
  type ModuleDeclaration,
} from './platform/module-declaration.js';
import { BodyGuard } from './request/body.guard.js';
import { ErrorFilter } from './request/error.filter.js';
import { ErrorResponses, REQUEST_ERRORS } from './request/errors.js';
import { Idempotency } from './request/idempotency/idempotency.js';
import { IdempotencyKeyRecord } from './request/idempotency/idempotency-key.record.js';
import { RESPONSE_PERSONAL_DATA, StoredResponses } from './request/idempotency/stored-responses.js';
import { PublicUrl } from './request/public-url.js';
import { CheckedRoutes } from './request/validation/checked-routes.js';
import { CallbackUrls } from './shared/callback-urls.js';
import { Owners } from './shared/caller.js';
import { Clock } from './shared/clock.js';

export const MODULES: readonly ModuleDeclaration[] = Object.values(declared);
const PLATFORM: Declaration = {
  errors: REQUEST_ERRORS,
  metrics: PLATFORM_METRICS,
  personalData: [RESPONSE_PERSONAL_DATA],
};

/** These providers need no setting of the application. */
const OWN: readonly Provider[] = [
  CheckedRoutes,
  Clock,
  ENCRYPTION,
  ErrorResponses,
  Idempotency,
  Jobs,
  PendingWork,
  PublicUrl,
  Reencryption,
  StoredResponses,
  Units,
];

/** Every module may inject these providers. */
const SHARED = [
  Clock,
  Config,
  Database,
  Encryption,
  ErrorResponses,
  Declarations,
  Idempotency,
  Jobs,
  Owners,
  PublicUrl,
  Units,
  CallbackUrls,
];

export const declarationsOf = (list: readonly ModuleDeclaration[] = MODULES) =>
  new Declarations([PLATFORM, ...list]);
export const recordsOf = (list: readonly ModuleDeclaration[] = MODULES) => [
  IdempotencyKeyRecord,
  ...list.flatMap(({ records = [] }) => records),
];

interface Options {
  /** Operators' commands run without the time limits of requests. */
  readonly timeLimits?: boolean;
  /**
   * On the embedded database, webhooks of test mode may go to this machine while nobody else
   * reaches the service.
   */
  readonly isEmbedded?: boolean;
  readonly modules?: readonly ModuleDeclaration[];
}

@Module({})
export class AppModule {
  static register(config: Config, url: string, options: Options = {}): DynamicModule {
    const { timeLimits = true, isEmbedded = false, modules = MODULES } = options;
    const reachesLoopback = isEmbedded && isLoopback(config.host);
    const callbackUrls = new CallbackUrls(config.webhookAllowPrivate, reachesLoopback);
    const { databasePoolSize: poolSize } = config;
    const database = { url, poolSize, records: recordsOf(modules), timeLimits };
    return {
      module: AppModule,
      global: true,
      imports: [DiscoveryModule, TelemetryModule, ...modules.map(({ module }) => module)],
      controllers: [ReferenceController],
      providers: [
        { provide: Config, useValue: config },
        { provide: Database, useFactory: () => Database.connect(database) },
        { provide: Declarations, useValue: declarationsOf(modules) },
        { provide: Owners, useClass: StoredOwners },
        { provide: CallbackUrls, useValue: callbackUrls },
        { provide: APP_FILTER, useClass: ErrorFilter },
        ...OWN,
        // The order of the checks is the one that docs/reference/api.md promises: the key, the
        // origin, the rate limit, and then the body.
        ...modules.flatMap(({ guards = [] }) =>
          guards.map((useClass) => ({ provide: APP_GUARD, useClass })),
        ),
        { provide: APP_GUARD, useClass: BodyGuard },
      ],
      exports: SHARED,
    };
  }
}
