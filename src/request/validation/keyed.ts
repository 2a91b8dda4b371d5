import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { KeyedRequest } from '../idempotency/idempotency-key.guard.js';
import { requestOf } from '../request.js';
import type { RequestClass } from './constraints.js';
import { RequestPipe } from './validation.js';

const keyed = createParamDecorator((_: RequestClass, context: ExecutionContext): KeyedRequest => {
  const request = requestOf<FastifyRequest<{ Params: { id?: string } }>>(context);
  const { id, method, url, params, body, idempotencyKey, routeOptions } = request;
  return { id, method, url, operation: `${method} ${routeOptions.url}`, key: idempotencyKey, subject: params.id, body };
});

/** The request of a route with an IdempotencyKey, with the validated body, for Idempotency.once(). */
export const Keyed = (body: RequestClass): ParameterDecorator => keyed(body, RequestPipe);
