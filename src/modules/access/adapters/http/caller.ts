import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../../shared/caller.js';
import type { ApiKey } from '../../domain/api-key.js';

/** The organization and mode of the secret key the request came with. */
export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return context.switchToHttp().getRequest<FastifyRequest>().caller as Caller;
});

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined;
    /** Set for a secret key only. */
    caller: Caller | undefined;
  }
}
