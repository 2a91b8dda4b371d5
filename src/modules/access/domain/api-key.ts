import type { Caller, Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { invalidParam } from '../../../shared/errors.js';
import { idKind, NO_ORGANIZATION, newId } from '../../../shared/id.js';
import { isNickname } from '../../../shared/nickname.js';
import { isOrigin } from '../../../shared/web-url.js';

export const API_KEY_ID = idKind('key');

export const OWNED_KINDS = ['secret', 'restricted'] as const;
export const KEY_KINDS = [...OWNED_KINDS, 'ledger', 'operator'] as const;
/**
 * A secret key acts for one organization on /v1, and a restricted key does so as far as its rights
 * go. A ledger key acts for the ledger on /ledger/v1, and an operator key for the platform on
 * /operator/v1.
 */
export type KeyKind = (typeof KEY_KINDS)[number];

/** A restricted key may have these rights besides reading. */
export const RIGHTS = ['sessions', 'propose', 'approve'] as const;
export type Right = (typeof RIGHTS)[number];

export interface ApiKeyState {
  readonly id: string;
  readonly kind: KeyKind;
  /** This is null for an operator key, which acts in neither mode. */
  readonly mode: Mode | null;
  /**
   * This is null for a ledger key, which acts on every organization in its mode, and for an
   * operator key.
   */
  readonly organization: string | null;
  /** The holder is the person or program that uses the key. A rotated key keeps its holder. */
  readonly holder: string;
  readonly rights: readonly Right[];
  /**
   * These are the first characters of the token, enough to recognize it and useless to an attacker.
   */
  readonly display: string;
  readonly origins: readonly string[];
  /** This is in milliseconds, or null if the key never expires. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The time is exact to the hour. */
  readonly lastUsedAt: number | null;
  /**
   * This is true if the organization requires approval of all refunds. Only the look-up of a token
   * knows it.
   */
  readonly allRefundsWait?: boolean;
  /**
   * This is true if at most one session of each reference can be open or complete in the
   * organization. Only the look-up of a token knows it.
   */
  readonly uniqueReferences?: boolean;
}

/**
 * A new key works until an instant or for a time, in milliseconds; by default it works for ever.
 */
export interface KeyLife {
  readonly expiresAt?: number | null | undefined;
  readonly lifetime?: number | undefined;
}

export interface NewApiKey extends Pick<ApiKeyState, 'kind' | 'mode' | 'organization'>, KeyLife {
  /** The default is the key's own ID. */
  readonly holder?: string | null | undefined;
  readonly rights?: readonly Right[] | undefined;
  readonly origins?: readonly string[] | undefined;
}

export type KeyFault =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'revoked'
  | 'other surface';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
export const DISPLAY_LENGTH = 12;
const MAX_HOLDER = 100;
const TOKEN = /^(?:(?:sk|rk|lk)_(?:test|live)|ok)_[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;
export const PREFIX: Record<KeyKind, string> = {
  secret: 'sk',
  restricted: 'rk',
  ledger: 'lk',
  operator: 'ok',
};

export class ApiKey {
  private constructor(readonly state: ApiKeyState) {}

  /**
   * Makes a new key and its token, which is shown once and never stored. A right or an origin that
   * is named twice counts once. Refuses with invalid_param.
   */
  static create(
    { kind, mode, organization, holder, rights = [], origins = [], ...life }: NewApiKey,
    moment: Moment,
  ): { key: ApiKey; token: string } {
    requireCoherent({ kind, mode, organization, rights, origins });
    origins.forEach(requireOrigin);
    const id = newId(API_KEY_ID, moment);
    return issued({
      kind,
      mode,
      organization,
      rights: [...new Set(rights)],
      origins: [...new Set(origins)],
      id,
      expiresAt: endOf(life, moment.now),
      holder: checkedHolder(holder ?? id),
    });
  }

  /**
   * Makes a new key with the terms of this one, which ends when this one would unless another life
   * is given. It keeps the holder, even one that no new key may have. Refuses a revoked or expired
   * key with invalid_param.
   */
  rotate(life: KeyLife, moment: Moment): { key: ApiKey; token: string } {
    if (this.faultAt(moment.now)) {
      const message = 'This key is revoked or expired: create a new one.';
      throw invalidParam('id', 'invalid_value', message);
    }
    const { kind, mode, organization, rights, origins, holder } = this.state;
    const isEndGiven = life.expiresAt !== undefined || life.lifetime !== undefined;
    const expiresAt = isEndGiven ? endOf(life, moment.now) : this.state.expiresAt;
    const id = newId(API_KEY_ID, moment);
    return issued({ kind, mode, organization, rights, origins, holder, expiresAt, id });
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  /** The clock of this caller applies to the key: it is the organization or the ledger. */
  get caller(): Caller {
    return callerOf(this.state);
  }

  /** This is true if somebody else must approve the refunds that the key proposes. */
  get needsApproval(): boolean {
    const { kind, rights, allRefundsWait } = this.state;
    return allRefundsWait === true || (kind === 'restricted' && !rights.includes('approve'));
  }

  /** This is true if a session that the key creates needs a reference that is free. */
  get needsUniqueReferences(): boolean {
    return this.state.uniqueReferences === true;
  }

  faultAt(now: number): 'expired' | 'revoked' | undefined {
    const { expiresAt, revokedAt } = this.state;
    if (revokedAt !== null) return 'revoked';
    return expiresAt === null || now < expiresAt ? undefined : 'expired';
  }

  /**
   * Tells if the origin exactly equals a listed one (RFC 6454). The origin `null` is never allowed.
   */
  allows(origin: string): boolean {
    return this.state.origins.includes(origin);
  }
}

type Issued = Omit<
  ApiKeyState,
  'display' | 'revokedAt' | 'lastUsedAt' | 'allRefundsWait' | 'uniqueReferences'
>;

function issued(terms: Issued): { key: ApiKey; token: string } {
  const token = newToken(terms.kind, terms.mode);
  const display = token.slice(0, DISPLAY_LENGTH);
  return { key: ApiKey.restore({ ...terms, display, revokedAt: null, lastUsedAt: null }), token };
}

export const isOwned = (kind: KeyKind): boolean => OWNED_KINDS.some((owned) => owned === kind);

/**
 * An operator acts for no organization and in neither mode. It gets live mode, because the clock of
 * live mode is never moved.
 */
export function callerOf({
  organization,
  mode,
}: Pick<ApiKeyState, 'organization' | 'mode'>): Caller {
  return { organization: organization ?? NO_ORGANIZATION, mode: mode ?? 'live' };
}

/**
 * Tells if the token has the form and the checksum of a key. Other tokens need no database look-up.
 */
export function isWellFormedToken(token: string): boolean {
  const parts = TOKEN.exec(token);
  return parts !== null && checksum(token.slice(0, -CHECKSUM_LENGTH)) === parts[1];
}

function newToken(kind: KeyKind, mode: Mode | null): string {
  const body = `${PREFIX[kind]}_${mode === null ? '' : `${mode}_`}${randomBase62(SECRET_LENGTH)}`;
  return body + checksum(body);
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: higher bytes would make some characters more
      // likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** Computes the last six characters of a token: CRC-32 in base62, as token scanners expect it. */
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

type Terms = Pick<ApiKeyState, 'kind' | 'mode' | 'organization' | 'rights' | 'origins'>;

function requireCoherent({ kind, mode, organization, rights, origins }: Terms): void {
  const refuseIf = (isWrong: boolean, param: string, message: string) => {
    if (isWrong) throw invalidParam(param, 'invalid_value', message);
  };
  const owners =
    'A secret or restricted key belongs to an organization, a ledger or operator key to none.';
  refuseIf(isOwned(kind) !== (organization !== null), 'organization', owners);
  refuseIf(
    (kind === 'operator') !== (mode === null),
    'mode',
    'Each key has a mode, except an operator key.',
  );
  refuseIf(
    kind !== 'restricted' && rights.length > 0,
    'rights',
    'Only a restricted key has rights.',
  );
  refuseIf(
    kind === 'operator' && origins.length > 0,
    'origins',
    'No browser may use an operator key.',
  );
}

/** The API shows whole seconds, and the key must expire at the time shown. */
function endOf({ expiresAt = null, lifetime }: KeyLife, now: number): number | null {
  const end = lifetime === undefined ? expiresAt : now + lifetime;
  if (end === null) return null;
  if (end <= now)
    throw invalidParam('expires_at', 'too_small', 'expires_at must be in the future.');
  return Math.floor(end / 1000) * 1000;
}

function checkedHolder(holder: string): string {
  if (isNickname(holder) && [...holder].length <= MAX_HOLDER) return holder;
  throw invalidParam(
    'holder',
    'invalid_format',
    `holder must have 1 to ${MAX_HOLDER} visible characters, with spaces only inside.`,
  );
}

function requireOrigin(origin: string, at: number): void {
  if (isOrigin(origin)) return;
  throw invalidParam(
    `origins[${at}]`,
    'invalid_format',
    `${origin} is not an origin like https://shop.example.`,
  );
}
