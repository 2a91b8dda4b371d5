/** A browser gets its language by the weights of RFC 9110 section 12.5.4. */
import { expect, test } from '@jest/globals';
import { languageOf } from '../../src/modules/page/adapters/representation/language.js';

const ASKED: readonly [header: string, code: string][] = [
  ['', 'en'],
  ['de', 'de'],
  ['en;q=0.5, de', 'de'],
  ['de;q=0.1, fr;q=0.9', 'fr'],
  ['de;q=0.5,fr;q=0.5', 'de'],
  ['tlh, nl;q=0.9, ja ; Q=0.80', 'ja'],
  ['de;q=0.333, fr;q=0.3334', 'fr'],
  ['DE-at', 'de'],
  ['de;q=0, en', 'en'],
  ['en;q=0, de;q=0.1', 'de'],
  ['en;q=0', 'de'],
  ['de;q=0, de-AT', 'de'],
  ['en;q=0, de;q=0.0, fr;q=0.000, es;q=0, ja;q=0, ar;q=0', 'en'],
  ['*', 'en'],
  ['*;q=0.5, de', 'de'],
  ['de;q=0.5, *', 'en'],
  ['en;q=0, *', 'de'],
  ['en;q=0.2, *', 'de'],
  ['tlh, *;q=0', 'en'],
  ['de;q=2, fr;q=x, es;q=-1, ja;q=0.1', 'ja'],
  ['constructor, __proto__, de-x-1-', 'en'],
  [`${'tlh,'.repeat(20)}de`, 'en'],
];

test.each(ASKED)('answers the header %j in %s', (header, code) => {
  expect(languageOf(null, header).code).toBe(code);
  expect(languageOf('auto', header).code).toBe(code);
});

test("prefers the session's language to the browser's", () => {
  expect(languageOf('fr-CA', 'de')).toMatchObject({ code: 'fr', locale: 'fr-CA' });
});

test("gives amounts the form of the browser's region", () => {
  expect(languageOf(null, 'en;q=0.5, fr-CA').locale).toBe('fr-ca');
});
