import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { headerValues, requestOf } from '../../../../request/request.js';
import { invalidParam, type ParamCode, type Refusal } from '../../../../shared/errors.js';

const HEADER = 'Tillgate-Actor';
const MAX_LENGTH = 100;
export const ACTOR_PATTERN = `^[!-~](?:[ -~]{0,${MAX_LENGTH - 2}}[!-~])?$`;
const VISIBLE = new RegExp(ACTOR_PATTERN);

/** Reads who is behind the key of a write, as the caller says. */
@Injectable()
export class ActorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
    // A restricted or secret key belongs to an organization.
    const isMerchant = request.apiKey !== undefined && request.apiKey.state.organization !== null;
    request.actor = isWrite && isMerchant ? actorOf(headerValues(request, 'tillgate-actor')) : null;
    return true;
  }
}

export function actorOf([actor, ...others]: readonly string[]): string | null {
  if (actor === undefined) return null;
  if (others.length > 0) throw unusable('duplicate', 'is given more than once');
  if (actor.length === 0) throw unusable('too_short', 'is empty');
  if (actor.length > MAX_LENGTH) throw unusable('too_long', `has more than ${MAX_LENGTH} characters`);
  if (!VISIBLE.test(actor)) throw unusable('invalid_format', 'must be visible ASCII, with spaces only inside');
  return actor;
}

function unusable(code: ParamCode, fault: string): Refusal {
  return invalidParam(HEADER, code, `The ${HEADER} header ${fault}.`);
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: string | null;
  }
}
