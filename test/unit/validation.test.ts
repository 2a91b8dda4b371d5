/** The quick check and class-validator run the same rules; whatever comes, the verdict is the same. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { factsOf } from '../../src/app.module.js';
import type { RequestClass } from '../../src/validation/constraints.js';
import { application } from '../../src/validation/rules.js';
import { RequestPipe } from '../../src/validation/validation.js';
import { acceptable, alteration, altered, requestClasses, sentSchema } from '../support/requests.js';

const FACTS = factsOf();
const pipe = new RequestPipe(FACTS);
const schemaOf = (request: RequestClass) => application.run(FACTS, sentSchema, request);
const CLASSES = (await requestClasses()).map((request) => ({ name: request.name, request }));

test('the request classes of every module are found', () => {
  expect(CLASSES.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['CreateCheckoutSessionRequest', 'ListCheckoutSessionsQuery', 'ProposeRefundRequest']),
  );
});

test.each(CLASSES)('$name: both accept what the schema describes, and agree on all else', ({ request }) => {
  const verdicts = { true: 0, false: 0 };
  fc.assert(
    fc.property(acceptable(schemaOf(request)), fc.array(alteration, { maxLength: 3 }), (body, alterations) => {
      const changed = alterations.reduce(altered, body);
      const verdict = pipe.accepts(request, changed);
      verdicts[`${verdict}`]++;
      if (alterations.length === 0) expect(verdict).toBe(true);
      expect(pipe.explain(request, changed).length === 0).toBe(verdict);
    }),
    { numRuns: 50 },
  );
  // A generator that only makes wrong bodies, or only right ones, would prove nothing.
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(0);
});

test.each(CLASSES)('$name: both refuse what is no object at all', ({ request }) => {
  for (const value of [null, true, 0, '', 'text', [], [{}]]) {
    expect({ value, accepted: pipe.accepts(request, value), faults: pipe.explain(request, value).length }).toEqual({
      value,
      accepted: false,
      faults: 1,
    });
  }
});
