/** The headers of a request name the caller of the tools for agents. */
import { expect, test } from '@jest/globals';
import { callerOf } from '../src/caller.js';

const inUtf8 = (text: string) => Buffer.from(text).toString('latin1');

test.each([
  [{}, { actor: undefined, holder: undefined }],
  [{ 'Tillgate-Actor': 'Ana' }, { actor: 'Ana', holder: undefined }],
  [
    { 'Tillgate-Actor': inUtf8('علی'), 'Tillgate-Holder': inUtf8('José') },
    { actor: 'علی', holder: 'José' },
  ],
  [
    { 'Tillgate-Actor': 'José', 'Tillgate-Holder': 'Müller' },
    { actor: 'José', holder: 'Müller' },
  ],
])('the names in %j are read as UTF-8, or else as Latin-1', (headers, names) => {
  expect(callerOf('rk_test_x', new Headers(headers))).toEqual({ key: 'rk_test_x', ...names });
});
