/** Two names are one person when RFC 8266 says so, as far as the Unicode tables of Node go. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isNickname, isPersonName, isSamePerson } from '../../src/shared/nickname.js';

describe('the same person', () => {
  const ROWS: [one: string, other: string][] = [
    ['Ana', 'ana'],
    ['Ana', 'Ana '],
    ['Ana', '\tAna\n'],
    ['Ana María', 'Ana\u00a0 \u3000María'],
    ['José', 'Jose\u0301'],
    ['José', 'JOSÉ'],
    ['Straße', 'STRASSE'],
    ['Straße', 'STRA\u1e9eE'],
    ['İpek', 'i\u0307pek'],
    ['Νίκος', 'ΝΊΚΟΣ'],
    ['Νίκος', 'νίκοσ'],
    ['Ａｎａ', 'Ana'],
    ['ﬁona', 'FIONA'],
    ['ᾳ', 'ΑΙ'],
    ['Ꭰ', 'ꭰ'],
    ['Ana', 'A\u200bna'],
    ['Ana', 'Ana\ufe0f'],
    ['Ana', '\u2060Ana\u0001'],
    ['Ana María', 'ana\u0085\r\n\u2028maría\u2029'],
    ['Ana María', 'Ana\u1680\u202f\u205fMaría'],
    ['Ana', 'A\u{e0061}n\u3164a\u{1d159}'],
    ['Ångström', '\u212bngstro\u0308m'],
    ['µ', 'Μ'],
    ['ſam', 'SAM'],
    ['½', '1⁄2'],
    ['한글', '한글'],
  ];

  test.each(ROWS)('has the names %j and %j', (one, other) => {
    expect(isSamePerson(one, other)).toBe(true);
    expect(isSamePerson(other, one)).toBe(true);
  });
});

test.each([
  ['Ana', 'Anna'],
  ['Ana', 'An a'],
  ['José', 'Jose'],
  ['Işıl', 'Isil'],
  ['Ana', 'Аna'],
  ['Ana 1', 'Ana 2'],
  ['ana', 'ana.'],
  ['Ipek', 'İpek'],
  ['İpek', 'ıpek'],
  ['Ana', 'A\ue000na'],
])('are two people with the names %j and %j', (one, other) => {
  expect(isSamePerson(one, other)).toBe(false);
});

const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
const space = fc.constantFrom(' ', '  ', '\u00a0', '\u2003', '\u3000', '\n', '\u200b ');

test('stays one person in every Unicode form, letter case and spacing of the name', () => {
  fc.assert(
    fc.property(name, space, space, (one, before, after) => {
      const spellings = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => one.normalize(form));
      for (const other of [...spellings, `${before}${one}${after}`, one.toLowerCase()])
        expect([other, isSamePerson(one, other)]).toEqual([other, true]);
    }),
  );
});

test('stays one person in both cases of each letter', () => {
  const letters = Array.from({ length: 0x1_e944 }, (_, code) => String.fromCodePoint(code));
  const cased = letters.filter((letter) => /\p{Cased_Letter}/u.test(letter));
  const others = cased.filter((letter) => {
    const cases = [letter.toLowerCase(), letter.toUpperCase()];
    return letter !== 'ı' && !cases.every((one) => isSamePerson(`x${letter}y`, `x${one}y`));
  });
  expect(cased.length).toBeGreaterThan(2000);
  expect(others).toEqual([]);
});

test.each(['a', 'Ana María', 'José', 'Jose\u0301', '李小龍', 'أحمد', '🦊', 'O’Neil', 'x\u3000y'])(
  'accepts %j as a name',
  (text) => {
    expect(isNickname(text)).toBe(true);
  },
);

test.each([
  ...['', ' ', '\u200b', 'Ana ', ' Ana', '\u00a0Ana', 'Ana\u3000', 'Ana\n', 'A\nna', 'A\rna'],
  ...['A\u2028na', 'A\u2029na', 'A\u0085na', 'A\tna', 'A\u0000na', 'A\u007fna', 'A\u200bna'],
  ...['A\u00adna', '\ufeffAna', 'Ana\u202e', 'Ana\ufe0f', 'A\u2800na', 'Ana\u{e0001}', 'A\u3164'],
])('refuses %j as a name', (text) => {
  expect(isNickname(text)).toBe(false);
});

test.each(['علی\u200cرضا', 'ශ්\u200dරී', 'क्\u200cष'])(
  "accepts %j, which has a joiner, as a person's name, but not as a holder",
  (text) => {
    expect([isPersonName(text), isNickname(text)]).toEqual([true, false]);
  },
);

/** These code points look like nothing, alone or in another text. */
const UNSEEN: readonly (readonly [first: number, last: number])[] = [
  ...([
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
  ] as const),
  ...([
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
  ] as const),
  ...([
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x2800, 0x2800],
    [0x3164, 0x3164],
  ] as const),
  ...([
    [0xd800, 0xdfff],
    [0xfdd0, 0xfdef],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
  ] as const),
  ...([
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffc],
    [0xfffe, 0xffff],
    [0x13441, 0x13442],
  ] as const),
  ...([
    [0x16fe4, 0x16fe4],
    [0x1bca0, 0x1bca3],
    [0x1d159, 0x1d159],
  ] as const),
  ...([
    [0x1d173, 0x1d17a],
    [0x1fffe, 0x1ffff],
    [0xe0000, 0xe0fff],
    [0x10ffff, 0x10ffff],
  ] as const),
];
const codesIn = ([first, last]: readonly [number, number]) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('refuses every code point that looks like nothing, wherever it stands in a name', () => {
  const codes = UNSEEN.flatMap(codesIn);
  const accepted = codes.filter((code) => {
    const sign = String.fromCodePoint(code);
    return [sign, `${sign}Ana`, `A${sign}na`, `Ana${sign}`].some(isNickname);
  });
  expect(accepted).toEqual([]);
});

test('refuses every kind of space at an end of a name, and accepts it inside if it breaks no line', () => {
  const inside = ['\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029'];
  const spaces = [...' \u00a0\u1680\u2000\u2003\u200a\u202f\u205f\u3000', ...inside];
  for (const space of spaces) {
    const places = [`${space}Ana`, `Ana${space}`, `A${space}na`].map(isNickname);
    expect([space, ...places]).toEqual([space, false, false, !inside.includes(space)]);
  }
});

test.each(['A\u200dna', 'A\u200cna', '\u200cعلی', 'علی\u200c', 'Ana\u200b'])(
  'refuses %j, which has an invisible character that its script does not need',
  (text) => {
    expect(isPersonName(text)).toBe(false);
  },
);
