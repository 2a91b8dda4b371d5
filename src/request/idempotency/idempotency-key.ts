import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalidParam, type ParamCode, type Refusal } from '../../shared/errors.js';
import type { RequestFacts } from '../errors.js';
import { headerValues, requestOf } from '../request.js';
import type { IdempotentResponse } from '../response.js';

/** A request for Idempotency.once(). Two requests with equal bodies are the same request. */
export interface KeyedRequest<Body = unknown> extends RequestFacts {
  /** Method and route. The same key on another operation is a different key. */
  readonly operation: string;
  /** Null if the key is optional and missing; undefined if the route takes none. */
  readonly key: string | null | undefined;
  readonly subject: string | undefined;
  readonly body: Body;
  /** Whether the use case has an effect that a rollback does not undo. Then a stored response is read first. */
  readonly hasEffect?: boolean;
}

export type Presence = 'required' | 'accepted';

/** The handler must return what Idempotency makes, because nothing else stores the response with its write. */
type KeyedRoute = <Route extends (...input: never[]) => Promise<IdempotentResponse>>(
  controller: object,
  name: string | symbol,
  route: TypedPropertyDescriptor<Route>,
) => void;

const presences = new WeakMap<object, Presence>();
export const presenceOf = (handler: object): Presence | undefined => presences.get(handler);

/** Marks a route that takes an Idempotency-Key. */
export const IdempotencyKey =
  (presence: Presence): KeyedRoute =>
  (_controller, _name, { value }) =>
    void presences.set(value as object, presence);

/** Refuses a request with an unusable Idempotency-Key or, where one is required, without it. */
export function keyedRequestOf(context: ExecutionContext): KeyedRequest {
  const request = requestOf<FastifyRequest<{ Params: { id?: string } }>>(context);
  const { id, method, url, params, body, routeOptions } = request;
  const presence = presenceOf(context.getHandler());
  const key = presence && keyOf(headerValues(request, 'idempotency-key'), presence);
  return { id, method, url, operation: `${method} ${routeOptions.url}`, key, subject: params.id, body };
}

const MAX_LENGTH = 255;
const INNER = `{0,${MAX_LENGTH - 2}}`;
const QUOTED = '(?:[!#-\\[\\]-~]|\\\\["\\\\])';
/** What keyOf() accepts, for the description: the key itself, or a quoted RFC 8941 string. Both have no space at an end. */
export const KEY_PATTERN = `^(?:[!#-~](?:[ -~]${INNER}[!-~])?|"${QUOTED}(?:(?: |${QUOTED})${INNER}${QUOTED})?")$`;

export function keyOf(values: readonly string[], presence: Presence): string | null {
  const [value] = values;
  if (value === undefined && presence === 'accepted') return null;
  if (value === undefined) throw unusable('required', 'The Idempotency-Key header is required.');
  if (values.length > 1) throw unusable('duplicate', 'The Idempotency-Key header is given more than once.');
  const key = unquoted(value);
  if (key.length === 0) throw unusable('too_short', 'The Idempotency-Key header is empty.');
  if (key.length > MAX_LENGTH)
    throw unusable('too_long', `The Idempotency-Key has more than ${MAX_LENGTH} characters.`);
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(key)) return key;
  throw unusable('invalid_format', 'The Idempotency-Key must be visible ASCII, with spaces only inside.');
}

/** The IETF draft defines the header as an RFC 8941 string, in quotes; most clients send it without. Both are the same key. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  if (quoted === undefined) throw unusable('invalid_format', 'The Idempotency-Key is not a quoted RFC 8941 string.');
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}

function unusable(code: ParamCode, message: string): Refusal {
  return invalidParam('Idempotency-Key', code, message);
}
