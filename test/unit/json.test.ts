import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../src/validation/json.js';
import { refusalOf } from '../support/refusal.js';

const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));

const REFUSED: readonly [string, string | Buffer, string, string][] = [
  ['half an object', '{"a":', 'body', 'invalid_format'],
  ['two values', '{} {}', 'body', 'invalid_format'],
  ['white space only', ' ', 'body', 'invalid_format'],
  ['a byte order mark', '\ufeff{}', 'body', 'invalid_format'],
  ['a comment', '{/**/}', 'body', 'invalid_format'],
  ['a trailing comma', '{"a":1,}', 'body', 'invalid_format'],
  ['single quotes', "{'a':1}", 'body', 'invalid_format'],
  ['NaN', '{"a":NaN}', 'body', 'invalid_format'],
  ['a leading zero', '{"a":01}', 'body', 'invalid_format'],
  ['a raw NUL', '{"a":"\0"}', 'body', 'invalid_format'],
  ['a raw line break in a string', '{"a":"\n"}', 'body', 'invalid_format'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body', 'invalid_format'],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'body', 'invalid_format'],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'body', 'invalid_format'],
  ['UTF-16', Buffer.from('{}', 'utf16le'), 'body', 'invalid_format'],
  ['33 levels', nested(33), 'body', 'invalid_value'],
  ['100,000 levels', nested(100_000), 'body', 'invalid_value'],
  ['an escaped NUL', '{"a":{"b":["x","\\u0000"]}}', 'a.b[1]', 'invalid_format'],
  ['an escaped NUL in a key', '{"a":{"\\u0000":1}}', 'a', 'invalid_format'],
  ['the first half of a pair', '{"a":"\\ud83d"}', 'a', 'invalid_format'],
  ['the second half of a pair', '{"a":"\\ude00"}', 'a', 'invalid_format'],
  ['the halves in the wrong order', '{"a":"\\ude00\\ud83d"}', 'a', 'invalid_format'],
  ['__proto__', '{"__proto__":{}}', '__proto__', 'unknown_field'],
  ['__proto__ below', '{"a":[{"__proto__":1}]}', 'a[0].__proto__', 'unknown_field'],
  ['__proto__ in escapes', '{"\\u005f_proto__":1}', '__proto__', 'unknown_field'],
  ['a number that would be rounded', '{"a":0.99999999999999999999}', 'body', 'invalid_value'],
  ['an integer with a trace of more', '{"a":[500.00000000000000001]}', 'body', 'invalid_value'],
  ['an integer with a trace of more and an exponent', '{"a":1500.00000000000000001E0}', 'body', 'invalid_value'],
  ['an exponent that would be rounded', '{"a":1499.9999999999999999e0}', 'body', 'invalid_value'],
  ['a negative exponent that would be rounded', '{"a":149999999999999999999999e-20}', 'body', 'invalid_value'],
  ['a number that is nearly nothing', '{"a":-1e-400}', 'body', 'invalid_value'],
  ['a number of 41 characters', `{"a":1.${'0'.repeat(39)}}`, 'body', 'invalid_value'],
  ['a number as long as a body', `{"a":${'1'.repeat(130_000)}.${'1'.repeat(130_000)}e1}`, 'body', 'invalid_value'],
  ['what is no number after all', '{"a":1-2}', 'body', 'invalid_format'],
  ['a key twice', '{"a":1,"a":1}', 'a', 'duplicate'],
  ['a key twice, once in escapes', '{"a":1,"\\u0061":2}', 'a', 'duplicate'],
  ['a key twice below', '{"a":{"b":[{"c":1},{"c":1,"d":[{}],"c":2}]}}', 'a.b[1].c', 'duplicate'],
  ['a key twice after an object', '{"a":{"x":1},"b":{"x":1,"x":2}}', 'b.x', 'duplicate'],
  ['a key twice with odd strings about', '{"a":"\\"a\\":","b":"}{","a":1}', 'a', 'duplicate'],
  ['a key twice with spaces', '{ "a" : 1 , "a" : 2 }', 'a', 'duplicate'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '__proto__', 'unknown_field'],
];

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

test.each(REFUSED)('%s is refused by name', (_, text, param, code) => {
  expect(refusalOf(() => parseJson(Buffer.from(text)))).toEqual({
    code: 'invalid_param',
    errors: [{ param, code, message: expect.any(String), allowed: [] }],
    resource: undefined,
  });
});

test.each(READ)('%s is read', (text, value) => {
  expect(parseJson(Buffer.from(text))).toEqual(value);
});

test('32 levels are read', () => {
  expect(JSON.stringify(parseJson(nested(32)))).toBe(nested(32).toString());
});

test('no body at all is an empty object', () => {
  expect([parseJson(undefined), parseJson(Buffer.alloc(0))]).toEqual([{}, {}]);
});

test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6, stringUnit: 'grapheme' }), fc.nat(4), (text, indent) => {
      fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'));
      const written = JSON.stringify(JSON.parse(text), null, indent);
      expect(parseJson(Buffer.from(written))).toEqual(JSON.parse(written));
    }),
    { numRuns: 1000 },
  );
});

test('a key that was there before is found wherever it is', () => {
  const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
  fc.assert(
    fc.property(object, fc.nat(), (body, place) => {
      fc.pre(!JSON.stringify(body).includes('__proto__') && !JSON.stringify(body).includes('\\u0000'));
      const keys = Object.keys(body);
      const key = keys[place % keys.length] as string;
      const text = `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(key)}:null}`;
      expect(refusalOf(() => parseJson(Buffer.from(text))).errors).toMatchObject([{ param: key, code: 'duplicate' }]);
    }),
  );
});

test('a number is read as what is written, or refused', () => {
  const digits = fc.stringMatching(/^[0159]{1,20}$/);
  fc.assert(
    fc.property(fc.nat(2_000), digits, fc.integer({ min: -25, max: 25 }), (whole, fraction, exponent) => {
      const text = `${whole}.${fraction}e${exponent}`;
      // As a fraction of integers: nothing is rounded.
      const above = BigInt(whole + fraction) * 10n ** BigInt(Math.max(exponent, 0));
      const below = 10n ** BigInt(fraction.length + Math.max(-exponent, 0));
      const isExact = above % below === 0n;
      const read = Number(text);
      if (!Number.isSafeInteger(read) || isExact) expect(parseJson(Buffer.from(text))).toBe(read);
      else expect(refusalOf(() => parseJson(Buffer.from(text))).code).toBe('invalid_param');
      if (Number.isSafeInteger(read) && isExact) expect(BigInt(read)).toBe(above / below);
    }),
    { numRuns: 2_000 },
  );
});
