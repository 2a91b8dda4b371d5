/** Each decorator: what it accepts, and how it names what it refuses. */

import { expect, test } from '@jest/globals';
import { IsUppercase } from 'class-validator';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { Facts } from '../../src/platform/facts.js';
import { Refusal } from '../../src/shared/errors.js';
import {
  Amount,
  Currency,
  Fields,
  field,
  Id,
  Integer,
  ListOf,
  ListOfUrls,
  Metadata,
  OneOf,
  Text,
  VisibleAscii,
  WebUrl,
} from '../../src/validation/fields.js';
import { PageLimit } from '../../src/validation/list.query.js';
import { RequestPipe } from '../../src/validation/validation.js';

const pipe = new RequestPipe(new Facts([]));

class Inner {
  @Integer({ min: 1, max: 9 }) count!: number;
  @Text({ max: 3, optional: true }) note?: string | null;
}

class Everything {
  @Integer({ min: 1, max: 9, optional: true }) integer?: number;
  @Amount({ optional: true }) amount?: number;
  @Text({ min: 2, max: 3, optional: true }) text?: string | null;
  @OneOf(['one', 'two'], { optional: true }) choice?: string;
  @Currency({ optional: true }) currency?: string | null;
  @WebUrl({ optional: true }) url?: string | null;
  @ListOfUrls({ max: 2, optional: true }) urls?: string[];
  @Metadata({ optional: true }) metadata?: Record<string, string>;
  @Id(CHECKOUT_SESSION_ID, { optional: true }) id?: string | null;
  @VisibleAscii({ optional: true }) ascii?: string | null;
  @PageLimit({ max: 100 }) limit?: string;
  @ListOf(() => Inner, { min: 1, max: 2 }) list!: Inner[];
  @Fields(() => Inner) object!: Inner;
}

const COMPLETE = { list: [{ count: 1 }], object: { count: 1 } };
const URL = 'https://a.example';
const SUFFIX = '01h455vb4pex5vsknk084sn02q';

/** Each decorator on its own, accepted at its edges. conformance/cases/fields.json has what requests are refused for. */
const ACCEPTED: readonly object[] = [
  {
    integer: 1,
    amount: 0,
    text: 'ab',
    choice: 'two',
    currency: 'EUR',
    url: URL,
    urls: [],
    metadata: {},
    ascii: '!~',
    limit: '1',
  },
  { integer: 9, amount: 999_999_999_999, text: '😀😀😀', urls: [URL, URL], limit: '0100', id: `cs_live_${SUFFIX}` },
  { text: null, currency: null, metadata: { ['😀'.repeat(40)]: 'x'.repeat(500), constructor: '' } },
  {
    list: [
      { count: 1, note: null },
      { count: 9, note: 'abc' },
    ],
  },
];

const REFUSED: readonly [object, string, string][] = [
  [{ integer: Number.POSITIVE_INFINITY }, 'integer', 'too_large'],
  [{ integer: Number.NEGATIVE_INFINITY }, 'integer', 'too_small'],
  [{ amount: 2 ** 53 }, 'amount', 'too_large'],
  [{ text: 'a\ufe0f\ufe0f\ufe0f' }, 'text', 'too_long'],
  [{ text: { toString: null, constructor: 'x' } }, 'text', 'invalid_type'],
  [{ choice: 'three' }, 'choice', 'invalid_value'],
  [{ currency: 840 }, 'currency', 'invalid_type'],
  [{ url: URL.padEnd(2049, 'a') }, 'url', 'too_long'],
  [{ urls: [URL, ''] }, 'urls[1]', 'invalid_format'],
  [{ metadata: { constructor: 1 } }, 'metadata.constructor', 'invalid_type'],
  [{ metadata: { toString: {} } }, 'metadata.toString', 'invalid_type'],
  [{ metadata: { 'a[b]': 'x' } }, 'metadata.a[b]', 'invalid_format'],
  [{ id: ` cs_test_${SUFFIX}` }, 'id', 'invalid_format'],
  [{ ascii: 'a b' }, 'ascii', 'invalid_format'],
  [{ ascii: 'a'.repeat(256) }, 'ascii', 'too_long'],
  [{ limit: '101' }, 'limit', 'too_large'],
  [{ list: [] }, 'list', 'too_short'],
  [{ list: {} }, 'list', 'invalid_type'],
  [{ list: [[]] }, 'list[0]', 'invalid_type'],
  [{ list: [{ count: 1 }, { count: 0 }] }, 'list[1].count', 'too_small'],
  [{ list: [{ count: 1, more: 1 }] }, 'list[0].more', 'unknown_field'],
  [{ list: undefined }, 'list', 'required'],
  [{ object: undefined }, 'object.count', 'required'],
  [{ object: [] }, 'object', 'invalid_type'],
  [{ object: { count: 1, constructor: 1 } }, 'object.constructor', 'unknown_field'],
  [{ constructor: 'x' }, 'constructor', 'unknown_field'],
  [{ toString: null }, 'toString', 'unknown_field'],
];

test.each(ACCEPTED)('%j is accepted', (change) => {
  const body = { ...COMPLETE, ...change };
  expect([pipe.accepts(Everything, body), pipe.explain(Everything, body)]).toEqual([true, []]);
});

test.each(REFUSED)('%j is refused at %s: %s', (change, param, code) => {
  const body = { ...COMPLETE, ...change };
  expect(pipe.accepts(Everything, body)).toBe(false);
  expect(pipe.explain(Everything, body)).toEqual([
    { param, code, message: expect.stringMatching(/^.+\.$/s), allowed: allowedAt(param, code) },
  ]);
});

test('every fault is reported at once, and what can be chosen from is listed', () => {
  const faults = pipe.explain(Everything, {
    extra: 1,
    integer: 0,
    choice: '',
    list: [{ count: 'x' }, { note: 'long' }],
  });
  expect(faults.map(({ param, code, allowed }) => [param, code, allowed])).toEqual([
    ['integer', 'too_small', []],
    ['choice', 'invalid_value', ['one', 'two']],
    ['list[0].count', 'invalid_type', []],
    ['list[1].count', 'required', []],
    ['list[1].note', 'too_long', []],
    ['object.count', 'required', []],
    ['extra', 'unknown_field', []],
  ]);
});

function allowedAt(param: string, code: string): unknown {
  if (code !== 'invalid_value') return [];
  return param === 'choice' ? ['one', 'two'] : expect.arrayContaining(['usd', 'jpy']);
}

class Differing {
  // The quick check does not know this decorator, and refuses what class-validator accepts.
  @field({}, IsUppercase()) text!: string;
}

test('where the two checks differ, class-validator decides', () => {
  const body = Buffer.from('{"text":"B"}');
  expect(pipe.accepts(Differing, { text: 'B' })).toBe(false);
  expect(pipe.transform(body, { type: 'body', metatype: Differing })).toEqual({ text: 'B' });
  const wrong = () => pipe.transform(Buffer.from('{"text":1}'), { type: 'body', metatype: Differing });
  expect(wrong).toThrow(Refusal);
});
