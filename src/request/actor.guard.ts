import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { invalidParam } from '../shared/errors.js';
import { headerValues, requestOf } from './request.js';

const HEADER = 'Tillgate-Actor';
const MAX_LENGTH = 100;
export const ACTOR_PATTERN = `^[!-~](?:[ -~]{0,${MAX_LENGTH - 2}}[!-~])?$`;
const VISIBLE = new RegExp(ACTOR_PATTERN);

@Injectable()
export class ActorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    request.actor = isRead || !request.url.startsWith('/v1/') ? null : actorOf(headerValues(request, 'tillgate-actor'));
    return true;
  }
}

function actorOf([actor, ...others]: readonly string[]): string | null {
  if (actor === undefined) return null;
  if (others.length === 0 && VISIBLE.test(actor)) return actor;
  const tooLong = actor.length > MAX_LENGTH ? 'too_long' : 'invalid_format';
  const code = others.length > 0 ? 'duplicate' : actor.length === 0 ? 'too_short' : tooLong;
  throw invalidParam(HEADER, code, `${HEADER} must be one name of 1 to ${MAX_LENGTH} visible ASCII characters.`);
}
