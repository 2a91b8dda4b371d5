/**
 * Expectations and placeholders work as conformance/README.md describes them, so that runners in
 * other languages agree.
 */
import { describe, expect, test } from '@jest/globals';
import { checkError } from '../errors.js';
import { compare } from '../matchers.js';
import { resolve } from '../placeholders.js';

/**
 * This is the example of the TypeID specification, of the UUID
 * 0188bac7-4afa-78aa-bc3b-bd1eef28d881.
 */
const SPECIFIED = 'prefix_01h2xcejqtf2nbrexx3vqjhp41';

const answerOf = (body: unknown, status = 200) => ({
  status,
  headers: { 'request-id': 'req_1' },
  text: '',
  body,
});
const problems = (matcher: unknown, body: unknown) =>
  compare(matcher, body, { at: 'body', answer: answerOf(body) });

test.each([
  ['a plain value', 1, [1, 1.0], [2, '1', true, null]],
  ['a whole list', [1, 2], [[1, 2]], [[2, 1], [1], [1, 2, 3]]],
  ['a whole object', { a: 1, b: 2 }, [{ b: 2, a: 1 }], [{ a: 1 }, { a: 1, b: 2, c: 3 }, [1, 2]]],
  ['$type integer', { $type: 'integer' }, [0, -1, 1.0], [1.5, 2 ** 53, '1', null]],
  ['$type number', { $type: 'number' }, [0, 1.5], ['1', null]],
  ['$type object', { $type: 'object' }, [{}], [[], null, 'x']],
  ['$type array', { $type: 'array' }, [[]], [{}, null]],
  ['$type null', { $type: 'null' }, [null], [0, '', {}]],
  ['$type boolean', { $type: 'boolean' }, [false], [0, null]],
  ['$matches', { $matches: '^cs_' }, ['cs_1'], ['x cs_1', 1, null]],
  ['$includes', { $includes: { a: 1 } }, [{ a: 1, b: 2 }], [{ b: 2 }, [1]]],
  [
    '$with',
    { $with: [{ a: 1, b: 2 }, { b: { $type: 'string' } }] },
    [{ a: 1, b: 'x' }],
    [{ a: 1, b: 2 }, { b: 'x' }],
  ],
  ['$every', { $every: { $type: 'integer' } }, [[], [1, 2]], [[1, 'x'], {}]],
  ['$length', { $length: 2 }, [[1, 2]], [[1], [1, 2, 3], 'xx']],
  [
    '$sequence',
    { $sequence: ['a', 'b'] },
    [
      ['a', 'b'],
      ['x', 'a', 'y', 'b'],
    ],
    [['b', 'a'], ['a'], ['a', 'b', 'a']],
  ],
  ['$unordered', { $unordered: [1, 2] }, [[2, 1]], [[1], [1, 1], [1, 2, 3]]],
  [
    '$sorted descending',
    { $sorted: 'descending' },
    [[], ['b', 'a']],
    [
      ['a', 'b'],
      ['a', 'a'],
    ],
  ],
  [
    '$sorted ascending',
    { $sorted: 'ascending' },
    [['a', 'b']],
    [
      ['b', 'a'],
      ['a', 'a'],
    ],
  ],
  ['$instantOf', { $instantOf: SPECIFIED }, [1686760803], [1686760804, '1686760803']],
  ['$not', { $not: 1 }, [2], [1]],
  ['$all', { $all: [{ $type: 'string' }, { $matches: '^a' }] }, ['ab'], ['b', 1]],
])('compares with %s', (_, matcher, matching, others) => {
  expect(matching.filter((body) => problems(matcher, body).length > 0)).toEqual([]);
  expect(others.filter((body) => problems(matcher, body).length === 0)).toEqual([]);
});

test('compares $same with another part of the answer', () => {
  expect(problems({ a: 1, b: { $same: 'body.a' } }, { a: 1, b: 1 })).toEqual([]);
  expect(problems({ a: 1, b: { $same: 'body.a' } }, { a: 1, b: 2 })).toEqual([
    { at: 'body.b', expected: 'the same as body.a', got: 2 },
  ]);
});

describe('an error', () => {
  const entry = { param: 'amount', code: 'too_large', message: 'No.', allowed: ['1'] };
  const error = {
    type: 'invalid_request',
    message: 'No.',
    param: 'amount',
    errors: [entry],
    next_step: { type: 'lower_amount', path: '/v1/refunds', method: 'POST' },
    code: 'refund_exceeds_remaining',
  };
  const placesIn = (changed: object, expected = {}, status = 422) =>
    checkError(
      { code: 'refund_exceeds_remaining', ...expected },
      answerOf({ request_id: 'req_1', error: { ...error, ...changed } }, status),
    ).map(({ at }) => at);

  test.each([
    ['the code alone', {}],
    ['the whole entry', { errors: [{ param: 'amount', code: 'too_large', allowed: ['1'] }] }],
    ['a part of the next step', { next_step: { type: 'lower_amount' } }],
  ])('is right with %s', (_, expected) => {
    expect(placesIn({}, expected)).toEqual([]);
  });

  test.each([
    ['a member too many', { hint: 'x' }, {}, ['body.error.hint']],
    ['an empty message', { message: '' }, {}, ['body.error.message']],
    ['the type of another status', { type: 'api_error' }, {}, ['body.error.type']],
    ['another param than its first entry', { param: 'payment' }, {}, ['body.error.param']],
    ['an entry that nobody expects', {}, { errors: [] }, ['body.error.errors']],
    [
      'a malformed path',
      { next_step: { ...error.next_step, path: 'v1' } },
      {},
      ['body.error.next_step.path'],
    ],
  ])('is wrong with %s', (_, changed, expected, places) => {
    expect(placesIn(changed, expected)).toEqual(places);
  });
});

/** The placeholder is built here, so that no linter takes it for a forgotten template. */
const placeholder = (name: string) => `\${${name}}`;

test.each([
  ['alone with its type', placeholder('n'), 1],
  ['within a text as text', `x${placeholder('n')}`, 'x1'],
  ['of a list within a text as JSON', `x${placeholder('list')}`, 'x["a",1]'],
  ['in the name of a member', { [placeholder('s')]: [placeholder('s')] }, { a: ['a'] }],
  ['of a character many times', `${placeholder('s')}${placeholder('k*3')}`, 'akkk'],
])('resolves a placeholder %s', (_, value, resolved) => {
  expect(resolve(value, { n: 1, s: 'a', list: ['a', 1] })).toEqual(resolved);
});

test('throws for a placeholder without a value, which is a mistake in the case', () => {
  expect(() => resolve(placeholder('gone'), {})).toThrow(placeholder('gone'));
});
