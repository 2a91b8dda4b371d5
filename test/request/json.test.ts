import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../src/request/validation/json.js';
import { refusalOf } from '../support/refusal.js';

/**
 * Builds JSON that is nested so deep. The cases in conformance/cases/errors.json have what else is
 * refused.
 */
const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));

const READ: readonly [string, unknown][] = [
  ['null', null],
  ['"text"', 'text'],
  ['\t\r\n {"a" : [ ] } ', { a: [] }],
  ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ['{"a":"\\ud83d\\ude00","b":"😀"}', { a: '😀', b: '😀' }],
  ['{"a":{"x":1},"b":{"x":1}}', { a: { x: 1 }, b: { x: 1 } }],
  ['{"":{"":1}}', { '': { '': 1 } }],
  ['{"a":"\\\\","b":":"}', { a: '\\', b: ':' }],
  ['[1500.0,1.5e3,15E+2,150000e-2,0e9,-0.0]', [1500, 1500, 1500, 1500, 0, -0]],
  ['[0.5,-1.25e-1,1e400,9007199254740993]', [0.5, -0.125, Number.POSITIVE_INFINITY, 2 ** 53]],
  [`[1.${'0'.repeat(38)}]`, [1]],
  [`{"a":"${'1'.repeat(50)}.${'1'.repeat(50)}e1"}`, { a: `${'1'.repeat(50)}.${'1'.repeat(50)}e1` }],
];

test.each(READ)('%s is read', (text, value) => {
  expect(parseJson(Buffer.from(text))).toEqual(value);
});

test('JSON with 32 levels is read', () => {
  expect(JSON.stringify(parseJson(nested(32)))).toBe(nested(32).toString());
});

test('a missing body is read as an empty object', () => {
  expect([parseJson(undefined), parseJson(Buffer.alloc(0))]).toEqual([{}, {}]);
});

test('JSON that JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6, stringUnit: 'grapheme' }), fc.nat(4), (text, indent) => {
      fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'));
      const written = JSON.stringify(JSON.parse(text), null, indent);
      expect(parseJson(Buffer.from(written))).toEqual(JSON.parse(written));
    }),
    { numRuns: 1000 },
  );
});

test('a repeated key is refused at every place', () => {
  const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
  });
  fc.assert(
    fc.property(object, fc.nat(), (body, place) => {
      fc.pre(
        !JSON.stringify(body).includes('__proto__') && !JSON.stringify(body).includes('\\u0000'),
      );
      const keys = Object.keys(body);
      const key = keys[place % keys.length] as string;
      const text = `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(key)}:null}`;
      expect(refusalOf(() => parseJson(Buffer.from(text))).errors).toMatchObject([
        { param: key, code: 'duplicate' },
      ]);
    }),
  );
});

test('a number is read exactly as it is written, or is refused', () => {
  const digits = fc.stringMatching(/^[0159]{1,20}$/);
  fc.assert(
    fc.property(
      fc.nat(2_000),
      digits,
      fc.integer({ min: -25, max: 25 }),
      (whole, fraction, exponent) => {
        const text = `${whole}.${fraction}e${exponent}`;
        // The number as a fraction of integers is exact.
        const above = BigInt(whole + fraction) * 10n ** BigInt(Math.max(exponent, 0));
        const below = 10n ** BigInt(fraction.length + Math.max(-exponent, 0));
        const isExact = above % below === 0n;
        const read = Number(text);
        if (!Number.isSafeInteger(read) || isExact) expect(parseJson(Buffer.from(text))).toBe(read);
        else expect(refusalOf(() => parseJson(Buffer.from(text))).code).toBe('invalid_param');
        if (Number.isSafeInteger(read) && isExact) expect(BigInt(read)).toBe(above / below);
      },
    ),
    { numRuns: 2_000 },
  );
});
