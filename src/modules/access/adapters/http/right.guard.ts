import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { requestOf } from '../../../../request/request.js';
import { RIGHT } from '../../../../request/route.js';
import { type ErrorCode, paramError, type Refusal, refusal } from '../../../../shared/errors.js';
import type { Right } from '../../domain/api-key.js';

export const RIGHT_MISSING: ErrorCode = {
  code: 'right_missing',
  kind: 'right',
  meaning:
    'The key is restricted, and its rights do not include this operation. Send a key that has ' +
    'the right.',
};

/** Lets a restricted key read everything, and write as far as its rights allow. */
@Injectable()
export class RightGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { apiKey, method } = requestOf(context);
    if (apiKey?.state.kind !== 'restricted' || method === 'GET' || method === 'HEAD') return true;
    const right = this.reflector.get<Right | undefined>(RIGHT, context.getHandler());
    if (right !== undefined && apiKey.state.rights.includes(right)) return true;
    throw rightMissing(right);
  }
}

export function rightMissing(right?: Right): Refusal {
  const missing = right
    ? `The key lacks the right ${right}.`
    : 'No right of a restricted key includes this.';
  return refusal(
    RIGHT_MISSING,
    paramError('Authorization', 'invalid_value', `${missing} Use another key.`),
  );
}
