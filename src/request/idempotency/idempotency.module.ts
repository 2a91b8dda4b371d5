import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { StoredResponses } from './stored-responses.js';

/** Global, because every module that writes needs it. */
@Global()
@Module({ providers: [Idempotency, StoredResponses], exports: [Idempotency] })
export class IdempotencyModule {}
