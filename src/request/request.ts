import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../shared/caller.js';
import { invalidParam } from '../shared/errors.js';

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

const ACTOR = 'Tillgate-Actor';
const MAX_ACTOR_LENGTH = 100;
export const ACTOR_PATTERN = `^[!-~](?:[ -~]{0,${MAX_ACTOR_LENGTH - 2}}[!-~])?$`;
const ACTOR_FORM = new RegExp(ACTOR_PATTERN);

/** Whom a write of a merchant names as the person behind the key. Refuses what cannot be a name. */
export function actorOf(request: FastifyRequest): string | null {
  const { method, url } = request;
  if (method === 'GET' || method === 'HEAD' || !url.startsWith('/v1/')) return null;
  const [actor, ...others] = headerValues(request, 'tillgate-actor');
  if (actor === undefined) return null;
  if (others.length === 0 && ACTOR_FORM.test(actor)) return actor;
  const tooLong = actor.length > MAX_ACTOR_LENGTH ? 'too_long' : 'invalid_format';
  const code = others.length > 0 ? 'duplicate' : actor.length === 0 ? 'too_short' : tooLong;
  throw invalidParam(ACTOR, code, `${ACTOR} must be one name of 1 to ${MAX_ACTOR_LENGTH} visible ASCII characters.`);
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    errorCode: string | undefined;
    keyDisplay: string | undefined;
    keyFault: string | undefined;
    keyHolder: string | undefined;
    keyId: string | undefined;
    needsApproval: boolean;
    /** Who is behind the key of a write, as the caller says. */
    actor: string | null;
    traceId?: string;
  }
}
