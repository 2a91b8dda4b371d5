import { Injectable } from '@nestjs/common';
import { pathOf } from '../../../../request/errors.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import type { KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse, ResponseParts } from '../../../../request/response.js';
import type { Caller } from '../../../../shared/caller.js';
import { decided, inTransaction } from '../../../../shared/decision.js';

/** Writes of the platform: each in one transaction with its stored response, once for each idempotency key and path. */
@Injectable()
export class OperatorWrites {
  constructor(private readonly idempotency: Idempotency) {}

  once<Result>(
    caller: Caller,
    request: KeyedRequest,
    write: () => Promise<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    const operation = `${request.method} ${pathOf(request.url)}`;
    const decide = async () => inTransaction(caller, async () => decided(await write()));
    return this.idempotency.once(caller, { ...request, operation }, decide, respond);
  }
}
