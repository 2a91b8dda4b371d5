import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Author } from '../../shared/unit.js';
import type { RequestContext } from '../errors.js';
import { authorOf, idempotencyKeyOf, type Presence, requestOf } from '../request.js';
import type { IdempotentResponse } from '../response.js';

/** Idempotency.once() runs such a request. Two requests with equal bodies are the same request. */
export interface KeyedRequest<Body = unknown> extends RequestContext {
  /** This is the method and the route. The same key on another operation is a different key. */
  readonly operation: string;
  /** The key is null if it is optional and missing, and undefined if the route takes none. */
  readonly key: string | null | undefined;
  readonly subject: string | undefined;
  readonly body: Body;
  readonly by: Author;
  /**
   * This is true if the use case has an effect that a rollback does not undo. A stored response is
   * then looked for first.
   */
  readonly hasEffect?: boolean;
}

/**
 * The handler must return what Idempotency makes, because nothing else stores the response with its
 * write.
 */
type KeyedRoute = <Route extends (...input: never[]) => Promise<IdempotentResponse>>(
  controller: object,
  name: string | symbol,
  route: TypedPropertyDescriptor<Route>,
) => void;

const presences = new WeakMap<object, Presence>();

export function IdempotencyKey(presence: Presence): KeyedRoute {
  return (_controller, _name, { value }) => void presences.set(value as object, presence);
}

/** Tells whether the handler of a route requires a key, accepts one, or takes none (undefined). */
export const presenceOf = (handler: object): Presence | undefined => presences.get(handler);

export function keyedRequestOf(context: ExecutionContext): KeyedRequest {
  const request = requestOf<FastifyRequest<{ Params: { id?: string } }>>(context);
  const { id, method, url, params, body, routeOptions } = request;
  const presence = presenceOf(context.getHandler());
  const key = presence && idempotencyKeyOf(request, presence);
  return {
    id,
    method,
    url,
    operation: `${method} ${routeOptions.url}`,
    key,
    subject: params.id,
    body,
    by: authorOf(request),
  };
}
