import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { EncryptionModule } from './encryption/encryption.module.js';
import { EncryptionKeyRecord } from './encryption/encryption-key.record.js';
import { IDEMPOTENCY_ERRORS } from './idempotency/error.codes.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { IdempotencyKeyRecord } from './idempotency/idempotency-key.record.js';
import { KeyGuard, OriginGuard, RateLimitGuard } from './modules/access/index.js';
import { MovedClocks } from './modules/sandbox/index.js';
import * as modules from './modules.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import { SystemClock } from './platform/clock.js';
import { Config } from './platform/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { declareFacts, type ModuleFacts } from './platform/facts.js';
import { BodyGuard } from './platform/http/body.guard.js';
import { HTTP_ERRORS } from './platform/http/error.codes.js';
import { ErrorFilter } from './platform/http/error.filter.js';
import { PublicUrl } from './platform/http/public-url.js';
import { Jobs } from './platform/jobs.js';
import { CallerClock, Clock } from './shared/clock.js';
import { WebhookUrls } from './shared/webhook-urls.js';
import { PLATFORM_METRICS } from './telemetry/metrics.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';

const MODULES: readonly ModuleFacts[] = Object.values(modules);
export const RECORDS = [IdempotencyKeyRecord, EncryptionKeyRecord, ...MODULES.flatMap(({ records }) => records)];
const PLATFORM = {
  errors: [...HTTP_ERRORS, ...IDEMPOTENCY_ERRORS],
  metrics: PLATFORM_METRICS,
  jobs: ['remove_idempotency_keys'],
};
declareFacts(PLATFORM, ...MODULES);

@Module({})
export class AppModule {
  /** The whole service, on a migrated database. Operators' commands run without the time limits of requests. */
  static register(config: Config, url: string, { timeLimits = true } = {}): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        DatabaseModule.register({
          url,
          poolSize: config.databasePoolSize,
          records: RECORDS,
          timeLimits,
          gatherReads: config.databaseGatherReads,
        }),
        EncryptionModule,
        TelemetryModule,
        OpenapiModule,
        IdempotencyModule,
        ...MODULES.map(({ module }) => module),
      ],
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useClass: SystemClock },
        { provide: WebhookUrls, useValue: new WebhookUrls(config.webhookAllowPrivate) },
        { provide: CallerClock, useExisting: MovedClocks },
        MovedClocks,
        PublicUrl,
        Jobs,
        { provide: APP_FILTER, useClass: ErrorFilter },
        // In the order that docs/api.md promises: the key, the origin, the rate limit, and then the body.
        { provide: APP_GUARD, useClass: KeyGuard },
        { provide: APP_GUARD, useClass: OriginGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
      ],
      exports: [CallerClock, Clock, Config, Jobs, MovedClocks, PublicUrl, WebhookUrls],
    };
  }
}
