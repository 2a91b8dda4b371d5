import {
  type ArgumentMetadata,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Facts } from '../../platform/facts.js';
import type { KeyedRequest } from '../idempotency/idempotency-key.guard.js';
import { requestOf } from '../request.js';
import type { RequestClass } from './constraints.js';
import { RequestPipe } from './validation.js';

/** Validates the body of a request for Idempotency.once(). */
@Injectable()
export class KeyedPipe implements PipeTransform {
  private readonly pipe: RequestPipe;

  constructor(facts: Facts) {
    this.pipe = new RequestPipe(facts);
  }

  transform(request: KeyedRequest, { data }: ArgumentMetadata): KeyedRequest {
    const metatype = data as unknown as RequestClass;
    return { ...request, body: this.pipe.transform(request.body, { type: 'body', metatype }) };
  }
}

export function keyedRequestOf(context: ExecutionContext): KeyedRequest {
  const request = requestOf<FastifyRequest<{ Params: { id?: string } }>>(context);
  const { id, method, url, params, body, idempotencyKey, routeOptions } = request;
  return { id, method, url, operation: `${method} ${routeOptions.url}`, key: idempotencyKey, subject: params.id, body };
}

const keyed = createParamDecorator((_: RequestClass, context: ExecutionContext) => keyedRequestOf(context));

/** The request of a route with an IdempotencyKey, with the validated body. */
export const Keyed = (body: RequestClass): ParameterDecorator => keyed(body, KeyedPipe);
