/**
 * A text without a visible character is no name. The cases in conformance/cases/fields.json have
 * requests with such texts.
 */
import { expect, test } from '@jest/globals';
import { Organization } from '../../src/modules/access/domain/organization.js';
import { isVisible } from '../../src/shared/visible.js';

const SPACES = [
  ' ',
  '\t',
  '\r\n',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u202f',
  '\u3000',
];
const SIGNS = [...'\u00ad\u034f\u061c\u115f\u180e\u200b\u200d\u200f\u202e\u2060\ufeff'];
const OTHERS = [...'\u0000\u001b\u007f\u2800\u3164\ufe0f\uffa0\u{e0020}\u{e0100}\u{1d173}'];
const PICTURES = [...'\ufffc\uffff\u{13441}\u{16fe4}\u{1d159}'];
const BLANK = [...SPACES, ...SIGNS, ...OTHERS, ...PICTURES];

test.each([...BLANK, ...BLANK.map((sign) => `\u200b${sign} ${sign}`)])(
  '%j is not visible, so it is no name',
  (text) => {
    expect(isVisible(text)).toBe(false);
    expect(() => Organization.create(text, 0)).toThrow('A name has 1 to 255 characters.');
    expect(isVisible(`${text}a${text}`)).toBe(true);
  },
);

test.each(['a', '.', '\u200b0', '語', '👩\u200d🔬', '❤\ufe0f', '\u0301', '\ue000', '\u{1f6d8}'])(
  '%j is visible',
  (text) => {
    expect(isVisible(text)).toBe(true);
    expect(Organization.create(text, 0).settings.name).toBe(text);
  },
);
