import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The request that is being answered. Nest's `switchToHttp()` builds three closures a call, and a request has six. */
export function requestOf<Request = FastifyRequest>(context: ArgumentsHost): Request {
  return context.getArgByIndex<Request>(0);
}

export function replyOf(context: ArgumentsHost): FastifyReply {
  return context.getArgByIndex<FastifyReply>(1);
}

declare module 'fastify' {
  interface FastifyRequest {
    errorCode: string | undefined;
    keyDisplay: string | undefined;
    /** Where requests are traced. */
    traceId?: string;
  }
}
