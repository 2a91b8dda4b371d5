/**
 * Parses JSON strictly. JSON.parse keeps the last of two equal keys and accepts `__proto__`, lone
 * surrogates and NUL, and decoding replaces invalid UTF-8. Two programs could read such a body
 * differently, so it is refused.
 */
import { isUtf8 } from 'node:buffer';
import { invalidParam, type ParamCode, Refusal } from '../../shared/errors.js';

const MAX_DEPTH = 32;
const MAX_NUMBER_LENGTH = 40;
const NUMBER_CHARACTERS = /[-+.\dE]+/iy;

/**
 * A level is an object or list that is still open. `place` is an index, or a name between its
 * reading and the end of its value.
 */
interface Level {
  readonly names: Set<string> | undefined;
  place: string | number | undefined;
}

/**
 * Parses JSON in UTF-8 from a Buffer. An empty or missing body is an empty object. Throws a 400
 * refusal.
 */
export function parseJson(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalidParam('body', 'invalid_format', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  try {
    const fault = survey(text);
    const value: unknown = JSON.parse(text);
    if (fault) throw fault;
    return value;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidParam('body', 'invalid_format', 'The body is not valid JSON.');
  }
}

/**
 * Reads the text once. Throws when the text is too deep, or when it has a number that would not be
 * kept, even if it is not valid JSON. Returns the first other fault.
 */
function survey(text: string): Refusal | undefined {
  const open: Level[] = [];
  let fault: Refusal | undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(text, at);
      fault ??= faultOf(text.slice(at + 1, end), open);
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (open.length === MAX_DEPTH)
        throw invalidParam('body', 'invalid_value', `The body is nested deeper than ${MAX_DEPTH}.`);
      open.push(
        code === 0x7b ? { names: new Set(), place: undefined } : { names: undefined, place: 0 },
      );
    } else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x2c) {
      const level = open.at(-1);
      if (level) level.place = typeof level.place === 'number' ? level.place + 1 : undefined;
    } else if ((code >= 0x30 && code <= 0x39) || code === 0x2d) at = endOfNumber(text, at) - 1;
  }
  return fault;
}

function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) !== 0x22)
    end += text.charCodeAt(end) === 0x5c ? 2 : 1;
  return end;
}

function faultOf(string: string, open: readonly Level[]): Refusal | undefined {
  const text = string.includes('\\') ? (JSON.parse(`"${string}"`) as string) : string;
  // PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. Both can arrive only as
  // escapes.
  if (text !== string && (text.includes('\0') || !text.isWellFormed())) {
    return refusal(open, 'invalid_format', 'contains NUL or half of a surrogate pair.');
  }
  const level = open.at(-1);
  if (!level?.names || level.place !== undefined) return undefined;
  level.place = text;
  if (text === '__proto__')
    return refusal(open, 'unknown_field', 'is not a field of this request.');
  if (level.names.has(text)) return refusal(open, 'duplicate', 'is given more than once.');
  level.names.add(text);
  return undefined;
}

function refusal(open: readonly Level[], code: ParamCode, what: string): Refusal {
  const read = open.map(({ place }) => place).filter((place) => place !== undefined);
  const path = read
    .map((place) => (typeof place === 'number' ? `[${place}]` : `.${place}`))
    .join('');
  const param = path.replace(/^\./, '') || 'body';
  return invalidParam(param, code, `${param} ${what}`);
}

/**
 * Returns where the number ends. Refuses a number that is too long, or a fraction that parsing
 * would round to an integer.
 */
function endOfNumber(text: string, start: number): number {
  NUMBER_CHARACTERS.lastIndex = start;
  const [number = ''] = NUMBER_CHARACTERS.exec(text) ?? [];
  if (number.length > MAX_NUMBER_LENGTH) {
    throw invalidParam(
      'body',
      'invalid_value',
      `A number has more than ${MAX_NUMBER_LENGTH} characters.`,
    );
  }
  if (/[.e]/i.test(number) && Number.isSafeInteger(Number(number)) && !isWhole(number)) {
    throw invalidParam('body', 'invalid_value', 'A number has more digits than are kept of it.');
  }
  return start + number.length;
}

/**
 * Tells whether the number is an integer as it is written, not as a double: 1500.0 and 15e2 are
 * integers, 1499.99999999999999999 is not.
 */
function isWhole(number: string): boolean {
  const [decimal = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = decimal.split('.');
  const places = fraction.length - Number(exponent);
  return places <= 0 || !/[1-9]/.test((whole + fraction).slice(-places));
}
