import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../../../../platform/http/exchange.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import type { ApiKey } from '../../domain/api-key.js';

/** The organization and mode of the secret key the request came with. */
export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return requestOf(context).caller as Caller;
});

/** The mode of the ledger key the request came with. */
export const LedgerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Ledger => {
  const { apiKey } = requestOf(context);
  return { mode: (apiKey as ApiKey).facts.mode };
});

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined;
    /** Set for a secret key only. */
    caller: Caller | undefined;
  }
}
