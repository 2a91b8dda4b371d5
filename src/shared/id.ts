/**
 * Identifiers: TypeIDs (a prefix, then a UUIDv7 in 26 characters of Crockford base32), time-ordered and monotonic within
 * a process. The database stores the bare UUID; the prefix carries the kind and, for money, the mode.
 * Sources: TypeID specification 0.3, RFC 9562 section 5.7.
 */
import type { Mode } from './caller.js';

export type IdKind = 'cs' | 're' | 'pay' | 'org' | 'key' | 'evt';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE_OF = new Map([...ALPHABET].map((letter, value) => [letter, value]));
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const SUFFIX = '([0-7][0-9a-hjkmnp-tv-z]{25})';
const SUFFIX_LENGTH = 26;

const PATTERNS: Record<IdKind, RegExp> = {
  cs: new RegExp(`^cs_(?:test|live)_${SUFFIX}$`),
  re: new RegExp(`^re_(?:test|live)_${SUFFIX}$`),
  pay: new RegExp(`^pay_(?:test|live)_${SUFFIX}$`),
  org: new RegExp(`^org_${SUFFIX}$`),
  key: new RegExp(`^key_${SUFFIX}$`),
  evt: new RegExp(`^evt_${SUFFIX}$`),
};

/** The 42 bits after the timestamp count up within a millisecond; the top one starts at 0 to leave room for it. */
const SEQUENCE_START = 2 ** 41;
const SEQUENCE_END = 2 ** 42;
let lastInstant = 0;
let sequence = 0;

/** A new identifier whose instant is `now` in milliseconds, or just after the last one made if the clock went back. */
export function newId(kind: IdKind, now: number, mode?: Mode): string {
  if (now > lastInstant) {
    lastInstant = now;
    sequence = Math.floor(Math.random() * SEQUENCE_START);
  } else if (++sequence === SEQUENCE_END) {
    lastInstant += 1;
    sequence = 0;
  }
  const low = Math.floor(Math.random() * 2 ** 32);
  return prefixOf(kind, mode) + encode(layOut(lastInstant, sequence, low));
}

/** Whether the text is a well-formed identifier of this kind (of either mode). */
export function isId(kind: IdKind, text: string): boolean {
  return PATTERNS[kind].test(text);
}

/** The same as a regular expression, for descriptions. */
export function idPattern(kind: IdKind): string {
  return PATTERNS[kind].source;
}

/** The kind of a well-formed identifier. */
export function kindOf(id: string): IdKind {
  return id.slice(0, id.indexOf('_')) as IdKind;
}

/** The mode an identifier of a session, payment or refund was made in. */
export function modeOf(id: string): Mode {
  return id.includes('_live_') ? 'live' : 'test';
}

/** The instant inside an identifier, in milliseconds. */
export function instantOf(id: string): number {
  const bytes = decode(id);
  let instant = 0;
  for (let at = 0; at < 6; at++) instant = instant * 256 + (bytes[at] as number);
  return instant;
}

/** Unix seconds of the instant inside an identifier. */
export function createdAt(id: string): number {
  return Math.floor(instantOf(id) / 1000);
}

/** The UUID inside an identifier, as PostgreSQL reads it. */
export function uuidOf(id: string): string {
  return hexOf(decode(id));
}

/** The smallest UUIDv7 of an instant in milliseconds: the bound of a range by creation time. */
export function firstUuidAt(instant: number): string {
  const bytes = new Uint8Array(16);
  writeInstant(bytes, instant);
  return hexOf(bytes);
}

/** Below every identifier there will be. */
export const FIRST_UUID = '0'.repeat(32);
const LAST_UUID = 'f'.repeat(32);

/**
 * The bounds of the bare ids that a list may show: those made between two instants (milliseconds, from inclusive, to
 * exclusive), and beyond the one the cursor names: before it in a newest-first list, after it in an oldest-first one.
 */
export function idRange({ from, to, cursor, order = 'desc' }: IdRange): readonly [string, string] {
  const after = from === undefined ? FIRST_UUID : firstUuidAt(from);
  const before = to === undefined ? LAST_UUID : firstUuidAt(to);
  if (cursor === undefined) return [after, before];
  const last = uuidOf(cursor);
  return order === 'desc' ? [after, [last, before].sort()[0] as string] : [[last, after].sort()[1] as string, before];
}

interface IdRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly cursor: string | undefined;
  readonly order?: 'desc' | 'asc';
}

/** The identifier around a UUID, as PostgreSQL prints it. */
export function idOf(kind: IdKind, uuid: string, mode?: Mode): string {
  const hex = uuid.replaceAll('-', '');
  const bytes = new Uint8Array(16);
  for (let at = 0; at < 16; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return prefixOf(kind, mode) + encode(bytes);
}

function prefixOf(kind: IdKind, mode?: Mode): string {
  return mode === undefined ? `${kind}_` : `${kind}_${mode}_`;
}

function layOut(instant: number, count: number, low: number): Uint8Array {
  const bytes = new Uint8Array(16);
  writeInstant(bytes, instant);
  const high = Math.floor(count / 2 ** 30);
  const rest = count % 2 ** 30;
  bytes[6] = 0x70 | (high >>> 8);
  bytes[7] = high;
  bytes[8] = 0x80 | (rest >>> 24);
  bytes[9] = rest >>> 16;
  bytes[10] = rest >>> 8;
  bytes[11] = rest;
  for (let at = 12; at < 16; at++) bytes[at] = low >>> ((15 - at) * 8);
  return bytes;
}

function writeInstant(bytes: Uint8Array, instant: number): void {
  let rest = instant;
  for (let at = 5; at >= 0; at--) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function hexOf(bytes: Uint8Array): string {
  let hex = '';
  for (let at = 0; at < 16; at++) hex += HEX[bytes[at] as number];
  return hex;
}

/** 128 bits with two zero bits in front are exactly 26 letters of five bits. */
function encode(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let width = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    width += 8;
    while (width >= 5) {
      width -= 5;
      text += ALPHABET[(bits >>> width) & 31];
    }
    bits &= (1 << width) - 1;
  }
  return text;
}

function decode(id: string): Uint8Array {
  const bytes = new Uint8Array(16);
  let bits = 0;
  let width = -2;
  let at = 0;
  for (let index = id.length - SUFFIX_LENGTH; index < id.length; index++) {
    bits = (bits << 5) | (VALUE_OF.get(id[index] as string) as number);
    width += 5;
    if (width >= 8) {
      width -= 8;
      bytes[at++] = bits >>> width;
      bits &= (1 << width) - 1;
    }
  }
  return bytes;
}
