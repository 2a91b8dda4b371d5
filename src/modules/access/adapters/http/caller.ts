import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import type { ApiKey } from '../../domain/api-key.js';

/** The organization and mode of the secret key the request came with. */
export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return context.switchToHttp().getRequest<FastifyRequest>().caller as Caller;
});

/** The mode of the ledger key the request came with. */
export const LedgerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Ledger => {
  const { apiKey } = context.switchToHttp().getRequest<FastifyRequest>();
  return { mode: (apiKey as ApiKey).facts.mode };
});

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined;
    /** Set for a secret key only. */
    caller: Caller | undefined;
  }
}
