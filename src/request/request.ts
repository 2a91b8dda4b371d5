import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../shared/caller.js';
import { invalidParam, type ParamCode, type Refusal } from '../shared/errors.js';
import { isPersonName } from '../shared/nickname.js';
import type { Author } from '../shared/unit.js';

/**
 * Returns the current request. Nest's `switchToHttp()` would create three closures a call, and a
 * request needs six calls.
 */
export function requestOf<Request = FastifyRequest>(context: ArgumentsHost): Request {
  return context.getArgByIndex<Request>(0);
}

export function replyOf(context: ArgumentsHost): FastifyReply {
  return context.getArgByIndex<FastifyReply>(1);
}

/**
 * Returns all values of a header. Node's `headers` joins repeated ones, or keeps only the first.
 */
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
export const MAX_ACTOR_LENGTH = 100;

/**
 * Returns the person behind the key whom a merchant's write names, in any script. Refuses a text
 * that cannot be a name.
 */
export function actorOf(request: FastifyRequest): string | null {
  const { method, url } = request;
  if (method === 'GET' || method === 'HEAD' || !url.startsWith('/v1/')) return null;
  const [value, ...others] = headerValues(request, 'tillgate-actor');
  if (value === undefined) return null;
  if (others.length > 0) throw unusableActor('duplicate');
  const actor = utf8Of(value);
  if (actor.length === 0) throw unusableActor('too_short');
  if ([...actor].length > MAX_ACTOR_LENGTH) throw unusableActor('too_long');
  if (!isPersonName(actor)) throw unusableActor('invalid_format');
  return actor;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns a header's text. Node reads its bytes as Latin-1; they stay so if they are not UTF-8,
 * because browsers and old clients send Latin-1.
 */
function utf8Of(value: string): string {
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function unusableActor(code: ParamCode): Refusal {
  const name = `one name of 1 to ${MAX_ACTOR_LENGTH} visible characters in UTF-8`;
  return invalidParam(ACTOR, code, `${ACTOR} must be ${name}, with spaces only inside.`);
}

const MAX_KEY_LENGTH = 255;
const INNER = `{0,${MAX_KEY_LENGTH - 2}}`;
const QUOTED = '(?:[!#-\\[\\]-~]|\\\\["\\\\])';
/**
 * This is the pattern of what idempotencyKeyOf() accepts, for the description: the key itself, or a
 * quoted RFC 8941 string. Neither has a space at an end.
 */
export const KEY_PATTERN =
  `^(?:[!#-~](?:[ -~]${INNER}[!-~])?|` + `"${QUOTED}(?:(?: |${QUOTED})${INNER}${QUOTED})?")$`;

export type Presence = 'required' | 'accepted';

/**
 * Returns the Idempotency-Key. Refuses an unusable key and, where one is required, a missing key.
 */
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

/**
 * The IETF draft defines the header as an RFC 8941 string, in quotes. Most clients send it without
 * quotes. Both forms are the same key.
 */
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

/** Returns who asks: the holder of the key. */
export function authorOf({ keyId, keyHolder }: FastifyRequest): Author {
  return { via: 'api', key: keyId ?? null, holder: keyHolder ?? '' };
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
    needsUniqueReferences: boolean;
    actor: string | null;
    traceId?: string;
  }
}
