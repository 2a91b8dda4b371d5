import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../shared/caller.js';
import { invalidParam, type ParamCode, type Refusal } from '../shared/errors.js';

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
    if (candidate.length === name.length && candidate.toLowerCase() === name)
      values.push(rawHeaders[at + 1] as string);
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
  throw invalidParam(
    ACTOR,
    code,
    `${ACTOR} must be one name of 1 to ${MAX_ACTOR_LENGTH} visible ASCII characters.`,
  );
}

const MAX_KEY_LENGTH = 255;
const INNER = `{0,${MAX_KEY_LENGTH - 2}}`;
const QUOTED = '(?:[!#-\\[\\]-~]|\\\\["\\\\])';
/** What idempotencyKeyOf() accepts, for the description: the key itself, or a quoted RFC 8941 string. Both have no space at an end. */
export const KEY_PATTERN = `^(?:[!#-~](?:[ -~]${INNER}[!-~])?|"${QUOTED}(?:(?: |${QUOTED})${INNER}${QUOTED})?")$`;

export type Presence = 'required' | 'accepted';

/** Refuses an unusable Idempotency-Key or, where one is required, a missing one. */
export function idempotencyKeyOf(request: FastifyRequest, presence: Presence): string | null {
  const values = headerValues(request, 'idempotency-key');
  const [value] = values;
  if (value === undefined && presence === 'accepted') return null;
  if (value === undefined) throw unusable('required', 'The Idempotency-Key header is required.');
  if (values.length > 1)
    throw unusable('duplicate', 'The Idempotency-Key header is given more than once.');
  const key = unquoted(value);
  if (key.length === 0) throw unusable('too_short', 'The Idempotency-Key header is empty.');
  if (key.length > MAX_KEY_LENGTH)
    throw unusable('too_long', `The Idempotency-Key has more than ${MAX_KEY_LENGTH} characters.`);
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(key)) return key;
  throw unusable(
    'invalid_format',
    'The Idempotency-Key must be visible ASCII, with spaces only inside.',
  );
}

/** The IETF draft defines the header as an RFC 8941 string, in quotes; most clients send it without. Both are the same key. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  if (quoted === undefined)
    throw unusable('invalid_format', 'The Idempotency-Key is not a quoted RFC 8941 string.');
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}

function unusable(code: ParamCode, message: string): Refusal {
  return invalidParam('Idempotency-Key', code, message);
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
    actor: string | null;
    traceId?: string;
  }
}
