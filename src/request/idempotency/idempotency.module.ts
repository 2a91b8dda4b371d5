import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencySweeper } from './idempotency-sweeper.js';
import { StoredResponses } from './stored-responses.js';

/** Global, because every module that writes needs it. */
@Global()
@Module({ providers: [Idempotency, IdempotencySweeper, StoredResponses], exports: [Idempotency, StoredResponses] })
export class IdempotencyModule {}
