/**
 * A strict JSON parser. JSON.parse keeps the last of two equal keys and accepts `__proto__`, lone surrogates and NUL, and
 * decoding replaces invalid UTF-8. Two programs could read such a body differently, so it is refused.
 */
import { isUtf8 } from 'node:buffer';
import { invalidParam, type Refusal } from '../shared/errors.js';

const MAX_DEPTH = 32;
const MAX_NUMBER_LENGTH = 40;
const NUMBER_CHARACTERS = /[-+.\dE]+/iy;
/** Sticky, so that a search takes linear time. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{},]|[^"[\]{},]+/gy;

/** Parses JSON in UTF-8. An empty body is an empty object. Throws a 400 refusal. */
export function parseJson(bytes: Buffer | undefined): unknown {
  if (!bytes || bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalidParam('body', 'invalid_format', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const survey = surveyOf(text);
  const value = parse(text);
  if (inspect(value, '', survey.hasEscapes) !== survey.keys) throw duplicateKey(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParam('body', 'invalid_format', 'The body is not valid JSON.');
  }
}

/** Counts the keys, which are the colons outside strings, and checks the depth and the numbers, in one pass. */
function surveyOf(text: string): { keys: number; hasEscapes: boolean } {
  let keys = 0;
  let depth = 0;
  let inString = false;
  let hasEscapes = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c) {
      hasEscapes = true;
      at++;
    } else if (inString) continue;
    else if (code === 0x3a) keys++;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw invalidParam('body', 'invalid_value', `The body is nested deeper than ${MAX_DEPTH}.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (startsNumber(code)) at = endOfNumber(text, at) - 1;
  }
  return { keys, hasEscapes };
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

/** Returns where the number ends. Refuses a number that is too long, or a fraction that parsing would round to an integer. */
function endOfNumber(text: string, start: number): number {
  NUMBER_CHARACTERS.lastIndex = start;
  const [number = ''] = NUMBER_CHARACTERS.exec(text) ?? [];
  if (number.length > MAX_NUMBER_LENGTH) {
    throw invalidParam('body', 'invalid_value', `A number has more than ${MAX_NUMBER_LENGTH} characters.`);
  }
  if (/[.e]/i.test(number) && Number.isSafeInteger(Number(number)) && !isWhole(number)) {
    throw invalidParam('body', 'invalid_value', 'A number has more digits than are kept of it.');
  }
  return start + number.length;
}

/** Whether the number as written, not as a double, is an integer: 1500.0 and 15e2 are, 1499.99999999999999999 is not. */
function isWhole(number: string): boolean {
  const [decimal = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = decimal.split('.');
  const places = fraction.length - Number(exponent);
  return places <= 0 || !/[1-9]/.test((whole + fraction).slice(-places));
}

function inspect(value: unknown, path: string, hasEscapes: boolean): number {
  if (typeof value === 'string') {
    if (hasEscapes) refuseUnstorable(value, path);
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((keys, item, index) => keys + inspect(item, `${path}[${index}]`, hasEscapes), 0);
  }
  let keys = 0;
  for (const key of Object.keys(value)) {
    const name = path ? `${path}.${key}` : key;
    if (key === '__proto__') throw invalidParam(name, 'unknown_field', `${name} is not a field of this request.`);
    if (hasEscapes) refuseUnstorable(key, path || 'body');
    keys += 1 + inspect((value as Record<string, unknown>)[key], name, hasEscapes);
  }
  return keys;
}

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. Both can arrive only as escapes. */
function refuseUnstorable(text: string, path: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  const param = path || 'body';
  throw invalidParam(param, 'invalid_format', `${param} contains NUL or half of a surrogate pair.`);
}

function duplicateKey(text: string): Refusal {
  const stack: { keys: Set<string>; path: string; index: number }[] = [];
  let name = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const inside = stack.at(-1);
    if (token === '{' || token === '[') stack.push({ keys: new Set(), path: name, index: token === '[' ? 0 : -1 });
    else if (token === '}' || token === ']') stack.pop();
    else if (token === ',' && inside && inside.index >= 0) inside.index++;
    else if (token.endsWith(':') && inside) {
      const key = JSON.parse(token.slice(0, -1)) as string;
      name = inside.path ? `${inside.path}.${key}` : key;
      if (inside.keys.has(key)) return invalidParam(name, 'duplicate', `${name} is given more than once.`);
      inside.keys.add(key);
    }
    const now = stack.at(-1);
    if (now && now.index >= 0 && !token.endsWith(':')) name = `${now.path}[${now.index}]`;
  }
  return invalidParam('body', 'duplicate', 'A field is given more than once.');
}
