/** The quick check and class-validator differ. conformance/cases/fields.json has the requests that are refused. */
import { expect, test } from '@jest/globals';
import { IsUppercase, ValidateIf } from 'class-validator';
import { Facts } from '../../src/platform/facts.js';
import { Refusal } from '../../src/shared/errors.js';
import { field } from '../../src/validation/fields.js';
import { RequestPipe } from '../../src/validation/validation.js';

const pipe = new RequestPipe(new Facts([]));

class Differing {
  // The quick check does not know when a rule applies, and refuses what class-validator accepts.
  @ValidateIf(({ text }) => text !== 'b')
  @field({}, IsUppercase())
  text!: string;
}

test('where the two checks differ, class-validator decides', () => {
  const body = Buffer.from('{"text":"b"}');
  expect(pipe.accepts(Differing, { text: 'b' })).toBe(false);
  expect(pipe.transform(body, { type: 'body', metatype: Differing })).toEqual({ text: 'b' });
  const wrong = () => pipe.transform(Buffer.from('{"text":1}'), { type: 'body', metatype: Differing });
  expect(wrong).toThrow(Refusal);
});
