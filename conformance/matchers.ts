/**
 * Compares expected with received values. An object whose only member begins with $ is a matcher;
 * any other value must be equal.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './http.js';

export interface Problem {
  /**
   * Says where in the answer the value is: `status`, `headers.Location`,
   * `body.line_items.0.amount_total`.
   */
  readonly at: string;
  readonly expected: unknown;
  readonly got: unknown;
}

interface Place {
  readonly at: string;
  /** Holds the whole response, for matchers that compare with another part of it. */
  readonly answer: Answer;
}

type Matcher = (argument: never, got: unknown, place: Place) => Problem[];

const MATCHERS: Readonly<Record<string, Matcher>> = {
  $type: (type: string, got, { at }) => unless(isOfType(got, type), at, `of type ${type}`, got),
  $matches: (pattern: string, got, { at }) =>
    unless(
      typeof got === 'string' && new RegExp(pattern, 'u').test(got),
      at,
      `text that matches ${pattern}`,
      got,
    ),
  $not: (other: unknown, got, { at, answer }) =>
    unless(
      compare(other, got, { at, answer }).length > 0,
      at,
      `other than ${JSON.stringify(other)}`,
      got,
    ),
  $all: (matchers: unknown[], got, place) =>
    matchers.flatMap((matcher) => compare(matcher, got, place)),
  $same: (path: string, got, { at, answer }) =>
    unless(isDeepStrictEqual(got, pick(answer, path)), at, `the same as ${path}`, got),
  $includes: (members: Record<string, unknown>, got, { at, answer }) =>
    isObject(got)
      ? Object.entries(members).flatMap(([key, value]) =>
          compare(value, got[key], { at: `${at}.${key}`, answer }),
        )
      : [{ at, expected: 'an object', got }],
  $with: ([whole, changes]: [object, object], got, place) =>
    compare({ ...whole, ...changes }, got, place),
  $every: (matcher: unknown, got, { at, answer }) =>
    Array.isArray(got)
      ? got.flatMap((item, index) => compare(matcher, item, { at: `${at}.${index}`, answer }))
      : [{ at, expected: 'an array', got }],
  $length: (length: number, got, { at }) =>
    unless(Array.isArray(got) && got.length === length, at, `an array of ${length}`, got),
  $sequence: (items: unknown[], got, { at }) =>
    unless(
      Array.isArray(got) && isSequence(items, got),
      at,
      `${JSON.stringify(items)} in this order, each once`,
      got,
    ),
  $sorted: (direction: string, got, { at }) =>
    unless(Array.isArray(got) && isSorted(got, direction), at, `strictly ${direction}`, got),
  $unordered: (items: unknown[], got, { at, answer }) => unordered(items, got, { at, answer }),
  $instantOf: (id: string, got, { at }) =>
    unless(got === instantOf(id), at, `${instantOf(id)}, the instant in ${id}`, got),
};

export function compare(expected: unknown, got: unknown, place: Place): Problem[] {
  const { at, answer } = place;
  if (isObject(expected)) {
    const [name = '', ...others] = Object.keys(expected);
    const matcher = others.length === 0 && name.startsWith('$') ? MATCHERS[name] : undefined;
    if (matcher) return matcher(expected[name] as never, got, place);
    if (name.startsWith('$')) throw new Error(`${name} is not a matcher.`);
    if (!isObject(got)) return [{ at, expected, got }];
    const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
    return [...keys].flatMap((key) =>
      Object.hasOwn(expected, key)
        ? compare(expected[key], got[key], { at: `${at}.${key}`, answer })
        : [{ at: `${at}.${key}`, expected: 'no such member', got: got[key] }],
    );
  }
  if (Array.isArray(expected) && Array.isArray(got) && expected.length === got.length) {
    return expected.flatMap((item, index) =>
      compare(item, got[index], { at: `${at}.${index}`, answer }),
    );
  }
  return unless(isDeepStrictEqual(expected, got), at, expected, got);
}

/**
 * Returns the part of a response at a path. A negative index counts from the end. Header names are
 * case-insensitive.
 */
export function pick(answer: Answer, path: string): unknown {
  const [root = '', ...names] = path.split('.');
  if (root === 'headers') return answer.headers[names.join('.').toLowerCase()];
  return names.reduce<unknown>(
    (value, name) => {
      if (Array.isArray(value)) return value.at(Number(name));
      return isObject(value) ? value[name] : undefined;
    },
    answer[root as keyof Answer],
  );
}

function unless(isRight: boolean, at: string, expected: unknown, got: unknown): Problem[] {
  return isRight ? [] : [{ at, expected, got }];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Other items may come before, between and after the expected ones. */
function isSequence(items: readonly unknown[], got: readonly unknown[]): boolean {
  const wanted = got.filter((one) => items.includes(one));
  return isDeepStrictEqual(wanted, items);
}

function isSorted(got: readonly string[], direction: string): boolean {
  const ascending = direction === 'ascending' ? got : got.toReversed();
  return ascending.every((one, index) => index === 0 || (ascending[index - 1] as string) < one);
}

/**
 * Each expected item matches another received item. The first match is taken, which is enough
 * because the items differ clearly.
 */
function unordered(items: readonly unknown[], got: unknown, { at, answer }: Place): Problem[] {
  if (!Array.isArray(got)) return [{ at, expected: 'an array', got }];
  const rest = [...got];
  const missing = items.filter((item) => {
    const found = rest.findIndex((one) => compare(item, one, { at, answer }).length === 0);
    if (found >= 0) rest.splice(found, 1);
    return found < 0;
  });
  return [
    ...missing.map((item) => ({ at, expected: item, got: 'no such item' })),
    ...rest.map((item) => ({ at, expected: 'no such item', got: item })),
  ];
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const MILLISECONDS_DIGITS = 10;

/**
 * Returns the Unix seconds in a TypeID. The first 48 bits of its UUIDv7, which are its first ten
 * digits, are the milliseconds.
 */
function instantOf(id: string): number {
  const digits = id.slice(id.lastIndexOf('_') + 1).slice(0, MILLISECONDS_DIGITS);
  return Math.floor(
    [...digits].reduce((value, digit) => value * 32 + BASE32.indexOf(digit), 0) / 1000,
  );
}
