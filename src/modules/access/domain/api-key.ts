import type { Caller, Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { idKind, NO_ORGANIZATION, newId } from '../../../shared/id.js';

export const API_KEY_ID = idKind('key');

export const KEY_KINDS = ['secret', 'ledger'] as const;
/** A secret key acts for one organization on /v1; a ledger key for the ledger, on /ledger/v1. */
export type KeyKind = (typeof KEY_KINDS)[number];

export interface ApiKeyState {
  readonly id: string;
  readonly kind: KeyKind;
  readonly mode: Mode;
  /** Null for a ledger key, which acts on every organization in its mode. */
  readonly organization: string | null;
  /** The first characters of the token, enough to recognize it and useless to an attacker. */
  readonly display: string;
  readonly allowedOrigins: readonly string[];
  /** Milliseconds, or null for never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewApiKey {
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly organization: string | null;
  readonly allowedOrigins: readonly string[];
  readonly expiresAt: number | null;
  /** In milliseconds. Replaces `expiresAt`. */
  readonly lifetime?: number;
}

export type KeyFault = 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' | 'other surface';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
export const DISPLAY_LENGTH = 12;
const TOKEN = /^(sk|lk)_(test|live)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
export const PREFIX: Record<KeyKind, string> = { secret: 'sk', ledger: 'lk' };

export class ApiKey {
  private constructor(readonly state: ApiKeyState) {}

  /** A new key and its token, which is shown once and never stored. Throws RangeError for an impossible origin. */
  static create({ lifetime, ...input }: NewApiKey, moment: Moment): { key: ApiKey; token: string } {
    if ((input.kind === 'secret') !== (input.organization !== null)) {
      throw new RangeError('A secret key belongs to an organization, a ledger key to none.');
    }
    const allowedOrigins = input.allowedOrigins.map(checkedOrigin);
    const token = newToken(input.kind, input.mode);
    // The API shows whole seconds, and the key must expire at the time shown.
    const end = lifetime === undefined ? input.expiresAt : moment.now + lifetime;
    const expiresAt = end === null ? null : Math.floor(end / 1000) * 1000;
    const state = {
      ...input,
      id: newId(API_KEY_ID, moment),
      allowedOrigins,
      expiresAt,
      display: token.slice(0, DISPLAY_LENGTH),
    };
    return { key: new ApiKey({ ...state, revokedAt: null }), token };
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  /** The caller whose clock applies to the key: its organization, or the ledger. */
  get caller(): Caller {
    return callerOf(this.state);
  }

  faultAt(now: number): 'expired' | 'revoked' | undefined {
    const { expiresAt, revokedAt } = this.state;
    if (revokedAt !== null) return 'revoked';
    return expiresAt === null || now < expiresAt ? undefined : 'expired';
  }

  /** Whether the origin exactly equals a listed one (RFC 6454). `null` never does. */
  allows(origin: string): boolean {
    return this.state.allowedOrigins.includes(origin);
  }
}

export function callerOf({ organization, mode }: Pick<ApiKeyState, 'organization' | 'mode'>): Caller {
  return { organization: organization ?? NO_ORGANIZATION, mode };
}

/** Whether the token has the form and the checksum of a key. Other tokens need no database lookup. */
export function isWellFormedToken(token: string): boolean {
  const parts = TOKEN.exec(token);
  return parts !== null && checksum(token.slice(0, -CHECKSUM_LENGTH)) === parts[4];
}

function newToken(kind: KeyKind, mode: Mode): string {
  const body = `${PREFIX[kind]}_${mode}_${randomBase62(SECRET_LENGTH)}`;
  return body + checksum(body);
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: higher bytes would make some characters more likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** CRC-32 in base62, as token scanners expect it: the last six characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function checkedOrigin(origin: string): string {
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin && origin !== 'null';
  if (!isOrigin) throw new RangeError(`${origin} is not an origin like https://shop.example.`);
  return origin;
}
