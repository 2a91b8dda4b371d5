import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller, Ledger } from '../../shared/caller.js';
import { requestOf } from './request.js';

/** The owner of the key. The ledger is the owner of what belongs to no organization, such as its webhook endpoints. */
export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(context));

export const LedgerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Ledger => {
  return { mode: callerOf(context).mode };
});

function callerOf(context: ExecutionContext): Caller {
  return requestOf(context).caller as Caller;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of keys. */
    caller: Caller | undefined;
  }
}
