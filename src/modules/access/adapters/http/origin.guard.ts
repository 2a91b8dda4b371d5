import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { replyOf, requestOf } from '../../../../request/request.js';
import { type ErrorCode, paramError, Refusal } from '../../../../shared/errors.js';

const EXPOSED_HEADERS = 'Request-Id, Location, Retry-After, Idempotent-Replayed';

export const ORIGIN_NOT_ALLOWED: ErrorCode = {
  code: 'origin_not_allowed',
  kind: 'forbidden',
  meaning:
    'The origin is not allowed for this key. Call from a server, or add the origin to the key.',
};

/**
 * Checks the Origin header. A request without one comes from a server; a browser's origin must be
 * on the list of its key.
 */
@Injectable()
export class OriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers, apiKey } = requestOf(context);
    const { origin } = headers;
    if (origin === undefined || apiKey === undefined) return true;
    if (!apiKey.allows(origin)) throw originNotAllowed();
    // The headers are set before anything else can fail, so that the page can read the errors.
    replyOf(context).headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
    });
    return true;
  }
}

export function originNotAllowed(): Refusal {
  const message = 'This origin is not allowed: call from a server, or add the origin to the key.';
  return new Refusal(ORIGIN_NOT_ALLOWED, message, [paramError('Origin', 'invalid_value', message)]);
}
