import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { pathOf } from '../../../../request/errors.js';
import { Idempotency, type KeyedRequest } from '../../../../request/idempotency/idempotency.js';
import type { IdempotentResponse, ResponseParts } from '../../../../request/response.js';
import { notFound, Refusal } from '../../../../shared/errors.js';
import type { Unit } from '../../../../shared/unit.js';
import { Authenticate } from '../../application/authenticate.js';
import { callerOf } from '../../domain/api-key.js';

const OPERATOR = callerOf({ organization: null, mode: null });

/** Writes of the platform: each in one transaction with its stored response, once for each idempotency key and path. */
@Injectable()
export class OperatorWrites {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly database: Database,
    private readonly authenticate: Authenticate,
  ) {}

  async once<Result>(
    request: KeyedRequest,
    write: () => Promise<Result>,
    view: (result: Result) => object,
    about: (result: Result) => Partial<ResponseParts> = () => ({}),
  ): Promise<IdempotentResponse> {
    const operation = `${request.method} ${pathOf(request.url)}`;
    const use = (unit: Unit) => this.database.joined(unit, () => inPath(write()));
    const response = await this.idempotency.once(
      OPERATOR,
      { ...request, operation },
      use,
      (result) => ({
        status: 200,
        body: JSON.stringify(view(result)),
        ...about(result),
      }),
    );
    // After the commit, because before it a key can be cached as it was. What is created is not cached yet.
    if (response.parts.status !== 201) this.authenticate.forget();
    return response;
  }
}

/** What is not found is what the path names. */
export async function inPath<Result>(found: Promise<Result>): Promise<Result> {
  return found.catch((error) => {
    throw error instanceof Refusal && error.kind === 'missing' ? notFound('id') : error;
  });
}
