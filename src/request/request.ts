import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../shared/caller.js';

/** The current request. Nest's `switchToHttp()` would create three closures a call, and a request needs six calls. */
export function requestOf<Request = FastifyRequest>(context: ArgumentsHost): Request {
  return context.getArgByIndex<Request>(0);
}

export function replyOf(context: ArgumentsHost): FastifyReply {
  return context.getArgByIndex<FastifyReply>(1);
}

/** All values of a header. Node's `headers` joins repeated ones, or keeps only the first. */
export function headerValues({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    errorCode: string | undefined;
    keyDisplay: string | undefined;
    keyFault: string | undefined;
    keyHolder: string | undefined;
    keyId: string | undefined;
    traceId?: string;
  }
}
