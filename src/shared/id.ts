/**
 * Identifiers are TypeIDs: a prefix, then a UUIDv7 in 26 characters of Crockford base32. They are
 * ordered by time and monotonic within a process. The database stores the bare UUID; the prefix
 * carries the kind and, for money, the mode.
 *
 * Sources: TypeID specification 0.3, RFC 9562 section 5.7.
 */
import type { Mode } from './caller.js';
import type { Moment } from './clock.js';

export interface IdKind {
  readonly prefix: string;
  readonly hasMode: boolean;
  readonly pattern: RegExp;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Tables are faster than arithmetic, and a page of a list encodes a hundred identifiers. */
const VALUE_OF = valuesOf(ALPHABET);
const NIBBLE_OF = valuesOf('0123456789abcdef');
const PAIRS = Array.from(
  { length: 32 * 32 },
  (_, value) => `${ALPHABET[value >>> 5]}${ALPHABET[value & 31]}`,
);
/**
 * Each call of uuidOf() uses these bytes. A text made from bytes is in one piece; one made by
 * concatenation is in sixteen.
 */
const BYTES = Buffer.alloc(16);
const HYPHEN = 45;
const SUFFIX = '([0-7][0-9a-hjkmnp-tv-z]{25})';
const SUFFIX_LENGTH = 26;

export function idKind(prefix: string, { hasMode = false } = {}): IdKind {
  return {
    prefix,
    hasMode,
    pattern: new RegExp(`^${prefix}_${hasMode ? '(?:test|live)_' : ''}${SUFFIX}$`),
  };
}

export function idInWords({ prefix, hasMode }: IdKind): string {
  const start = hasMode ? `${prefix}_test_ or ${prefix}_live_` : `${prefix}_`;
  return `${start} and ${SUFFIX_LENGTH} characters`;
}

export const ORGANIZATION_ID = idKind('org');

/** This organization stands for the ledger itself, where a table requires an organization. */
export const NO_ORGANIZATION = `org_${'0'.repeat(26)}`;

/**
 * After the timestamp, one bit tells whether the test clock was moved, and 41 bits count up within
 * a millisecond. Their top bit starts at 0, to leave room for counting.
 */
const MOVED = 2 ** 41;
const SEQUENCE_START = 2 ** 40;
const SEQUENCE_END = MOVED;
/**
 * The last 32 bits are random. After a moved clock, they are the time that it showed, in Unix
 * seconds (until 2106).
 */
const LAST_BITS = 2 ** 32;
let lastInstant = 0;
let sequence = 0;

/**
 * Makes a new identifier for a moment (a number is real time, in milliseconds), or for an instant
 * just after the last one if the clock went back. Identifiers begin with real time, so a moved test
 * clock does not change their order among those of others.
 */
export function newId(kind: IdKind, moment: number | Moment, mode?: Mode): string {
  const { now, ahead } = typeof moment === 'number' ? { now: moment, ahead: 0 } : moment;
  if (now - ahead > lastInstant) {
    lastInstant = now - ahead;
    sequence = Math.floor(Math.random() * SEQUENCE_START);
  } else if (++sequence === SEQUENCE_END) {
    lastInstant += 1;
    sequence = 0;
  }
  const uuid =
    ahead === 0
      ? uuidv7(lastInstant, sequence, Math.floor(Math.random() * LAST_BITS))
      : uuidv7(lastInstant, MOVED + sequence, Math.floor((lastInstant + ahead) / 1000) % LAST_BITS);
  return idOf(kind, uuid, mode);
}

export function isId(kind: IdKind, text: string): boolean {
  return kind.pattern.test(text);
}

export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

export function modeOf(id: string): Mode {
  return id.includes('_live_') ? 'live' : 'test';
}

/**
 * Returns the real instant inside an identifier, in milliseconds: its first 48 bits, which are
 * exactly ten letters.
 */
export function instantOf(id: string): number {
  const start = id.length - SUFFIX_LENGTH;
  return numberAt(id, start, start + 10);
}

/** Returns when the resource was created by the clock of its organization, in milliseconds. */
export function createdInstant(id: string): number {
  // The eleventh letter is the version, 7, and the bit that tells of a moved clock.
  const isMoved = id[id.length - SUFFIX_LENGTH + 10] === 'f';
  return isMoved ? (numberAt(id, id.length - 7, id.length) % LAST_BITS) * 1000 : instantOf(id);
}

export function createdAt(id: string): number {
  return Math.floor(createdInstant(id) / 1000);
}

/**
 * Returns when the resource was created in real time, in Unix seconds: the ledger knows no other
 * time.
 */
export function recordedAt(id: string): number {
  return Math.floor(instantOf(id) / 1000);
}

function numberAt(id: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = number * 32 + valueAt(VALUE_OF, id, at);
  return number;
}

/** Returns the UUID inside an identifier, as PostgreSQL reads it. */
export function uuidOf(id: string): string {
  let bits = 0;
  // The 26 letters of five bits are 128 bits with two zero bits in front.
  let width = -2;
  for (let at = id.length - SUFFIX_LENGTH, end = 0; at < id.length; at++) {
    bits = (bits << 5) | valueAt(VALUE_OF, id, at);
    width += 5;
    if (width < 8) continue;
    width -= 8;
    BYTES[end++] = bits >>> width;
    bits &= (1 << width) - 1;
  }
  return BYTES.toString('hex');
}

/** Returns the smallest UUIDv7 of an instant in milliseconds. */
export function firstUuidAt(instant: number): string {
  return hexOf(instant, 12) + '0'.repeat(20);
}

export const FIRST_UUID = '0'.repeat(32);
export const LAST_UUID = 'f'.repeat(32);

interface IdRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly cursor: string | undefined;
  readonly order?: 'desc' | 'asc';
}

/**
 * Returns the range of a page's UUIDs: made from `from` until before `to` (milliseconds), and
 * beyond the cursor. If the caller's clock is `ahead`, the range also has the seconds of creation,
 * because the order of identifiers does not tell them.
 */
export function createdRange(
  { from, to, cursor, order = 'desc' }: IdRange,
  ahead: number,
): readonly [string, string, number | null, number | null] {
  const first = from === undefined ? FIRST_UUID : firstUuidAt(Math.max(0, from - ahead));
  const end = to === undefined ? LAST_UUID : firstUuidAt(to);
  const last = cursor === undefined ? undefined : uuidOf(cursor);
  const low = order === 'asc' && last !== undefined && last > first ? last : first;
  const high = order === 'desc' && last !== undefined && last < end ? last : end;
  if (ahead === 0 || (from === undefined && to === undefined)) return [low, high, null, null];
  return [
    low,
    high,
    Math.ceil((from ?? 0) / 1000),
    to === undefined ? LAST_BITS : Math.ceil(to / 1000),
  ];
}

/** Returns the identifier around a UUID, which may have hyphens or none. */
export function idOf({ prefix }: IdKind, uuid: string, mode?: Mode): string {
  let id = mode === undefined ? `${prefix}_` : `${prefix}_${mode}_`;
  let bits = 0;
  let width = 2;
  for (let at = 0; at < uuid.length; at++) {
    if (uuid.charCodeAt(at) === HYPHEN) continue;
    bits = (bits << 4) | valueAt(NIBBLE_OF, uuid, at);
    width += 4;
    if (width < 10) continue;
    width -= 10;
    id += PAIRS[bits >>> width];
    bits &= (1 << width) - 1;
  }
  return id;
}

function uuidv7(instant: number, count: number, low: number): string {
  const high = Math.floor(count / 2 ** 30);
  const rest = count % 2 ** 30;
  return hexOf(instant, 12) + hexOf(0x7000 + high, 4) + hexOf(2 ** 31 + rest, 8) + hexOf(low, 8);
}

function hexOf(number: number, length: number): string {
  return number.toString(16).padStart(length, '0');
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return values;
}

function valueAt(values: Uint8Array, text: string, at: number): number {
  return values[text.charCodeAt(at)] as number;
}
