import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../../../../platform/http/request.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { NO_ORGANIZATION } from '../../../../shared/id.js';
import type { ApiKey } from '../../domain/api-key.js';

export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return requestOf(context).caller as Caller;
});

export const LedgerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Ledger => {
  const { apiKey } = requestOf(context);
  return { mode: (apiKey as ApiKey).state.mode };
});

/** The ledger as the owner of resources that belong to no organization, such as its webhook endpoints. */
export const LedgerAsCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { apiKey } = requestOf(context);
  return { organization: NO_ORGANIZATION, mode: (apiKey as ApiKey).state.mode };
});

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined;
    caller: Caller | undefined;
  }
}
