import { expect, test } from '@jest/globals';
import {
  API_KEY_ID,
  ApiKey,
  isWellFormedToken,
  type NewApiKey,
} from '../../src/modules/access/domain/api-key.js';
import { Organization } from '../../src/modules/access/domain/organization.js';
import { isId } from '../../src/shared/id.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const ORGANIZATION = 'org_01h455vb4pex5vsknk084sn02q';
const MOMENT = { now: NOW, ahead: 0 };
const SECRET: NewApiKey = { kind: 'secret', mode: 'test', organization: ORGANIZATION };
const LEDGER: NewApiKey = { ...SECRET, kind: 'ledger', mode: 'live', organization: null };
const RESTRICTED: NewApiKey = { ...SECRET, kind: 'restricted', rights: ['sessions', 'propose'] };
const OPERATOR: NewApiKey = { ...SECRET, kind: 'operator', mode: null, organization: null };

/** Returns the parameter for which the key is refused. */
const paramOf = (input: NewApiKey) =>
  refusalOf(() => ApiKey.create(input, MOMENT)).errors[0]?.param;

/** The right checksum of this token is in its test below. It was computed with zlib. */
const KNOWN = `sk_test_${'0'.repeat(32)}`;

const PLACES = Array.from({ length: 46 }, (_, at) => at);

test.each([
  ['sk_test_', SECRET],
  ['sk_live_', { ...SECRET, mode: 'live' }],
  ['lk_test_', { ...LEDGER, mode: 'test' }],
  ['lk_live_', LEDGER],
  ['rk_test_', RESTRICTED],
  ['ok_', OPERATOR],
] as const)('makes a key that begins with %s, and stores it without its token', (prefix, input) => {
  const { key, token } = ApiKey.create(input, MOMENT);
  expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
  expect(isWellFormedToken(token)).toBe(true);
  expect(key.state).toEqual({
    ...{ rights: [], origins: [], expiresAt: null },
    ...input,
    id: expect.any(String),
    holder: key.state.id,
    display: token.slice(0, 12),
    revokedAt: null,
    lastUsedAt: null,
  });
  expect(isId(API_KEY_ID, key.state.id)).toBe(true);
  expect(JSON.stringify(key)).not.toContain(token);
});

test('keeps a right and an origin once that are named twice', () => {
  const origin = 'https://shop.example';
  const twice = { rights: ['propose', 'propose'], origins: [origin, origin] } as const;
  const { key } = ApiKey.create({ ...RESTRICTED, ...twice }, MOMENT);
  expect(key.state).toMatchObject({ rights: ['propose'], origins: [origin] });
});

test('draws every letter of base62 about as often as the others', () => {
  const counts = new Map<string, number>();
  for (let count = 0; count < 2000; count++) {
    for (const letter of ApiKey.create(SECRET, MOMENT).token.slice(8, 40))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const mean = (2000 * 32) / 62;
  expect(counts.size).toBe(62);
  // The bound is six standard deviations, so the test fails by chance once in ten million runs.
  for (const count of counts.values())
    expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean));
});

test('ends a token with the CRC-32 of its other characters', () => {
  const checksums = ['000000', '3LBVXz', '127lYz'].map((end) => isWellFormedToken(KNOWN + end));
  expect(checksums).toEqual([false, false, true]);
});

test.each(PLACES)('refuses a token with another character at %i', (at) => {
  const { token } = ApiKey.create(SECRET, MOMENT);
  const other = token[at] === 'A' ? 'B' : 'A';
  expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
});

test.each([
  '',
  'sk',
  'sk_test_',
  'Bearer',
  `${ApiKey.create(SECRET, MOMENT).token} `,
  `${ApiKey.create(SECRET, MOMENT).token}\n`,
])('refuses %j as malformed', (text) => {
  expect(isWellFormedToken(text)).toBe(false);
});

test.each([
  ['a secret key of nobody', { ...SECRET, organization: null }, 'organization'],
  ['a restricted key of nobody', { ...RESTRICTED, organization: null }, 'organization'],
  ['a ledger key of somebody', { ...LEDGER, organization: ORGANIZATION }, 'organization'],
  ['an operator key of somebody', { ...OPERATOR, organization: ORGANIZATION }, 'organization'],
  ['an operator key with a mode', { ...OPERATOR, mode: 'live' }, 'mode'],
  ['a secret key without a mode', { ...SECRET, mode: null }, 'mode'],
  ['a secret key with a right', { ...SECRET, rights: ['approve'] }, 'rights'],
  ['an operator key for browsers', { ...OPERATOR, origins: ['https://shop.example'] }, 'origins'],
  ['a key without a holder', { ...SECRET, holder: ' ' }, 'holder'],
  ['a key with a holder of 101 characters', { ...SECRET, holder: 'x'.repeat(101) }, 'holder'],
  ['a key with a space after its holder', { ...SECRET, holder: 'Ana ' }, 'holder'],
  ['a key with an invisible holder', { ...SECRET, holder: 'A\u200bna' }, 'holder'],
  ['a key with a line break in its holder', { ...OPERATOR, holder: 'Ana\nBen' }, 'holder'],
] as const)('refuses to make %s', (_, input, param) => {
  expect(paramOf(input)).toBe(param);
});

test.each(['a', 'x'.repeat(100), '🦊'.repeat(100)])(
  'accepts %j as the holder of a key',
  (holder) => {
    expect(ApiKey.create({ ...SECRET, holder }, MOMENT).key.state.holder).toBe(holder);
  },
);

test.each([
  [{}, NOW + 60_000],
  [{ expiresAt: null }, null],
  [{ expiresAt: NOW + 90_000 }, NOW + 90_000],
  [{ lifetime: 30_000 }, NOW + 30_000],
])(
  'rotates a key with %j to one that ends at %s and is otherwise like the old one',
  (life, end) => {
    const { key } = ApiKey.create({ ...RESTRICTED, expiresAt: NOW + 60_000 }, MOMENT);
    // Earlier versions accepted such a holder.
    const old = ApiKey.restore({ ...key.state, holder: 'Ana\n' });
    const rotated = old.rotate(life, MOMENT);
    expect(isWellFormedToken(rotated.token)).toBe(true);
    const display = rotated.token.slice(0, 12);
    const { id } = rotated.key.state;
    expect(rotated.key.state).toEqual({ ...old.state, id, display, expiresAt: end });
    expect(id).not.toBe(key.state.id);
  },
);

test('refuses to rotate a key that has ended', () => {
  const { key } = ApiKey.create({ ...SECRET, expiresAt: NOW + 60_000 }, MOMENT);
  const late = { ...MOMENT, now: NOW + 60_000 };
  expect(refusalOf(() => key.rotate({}, late)).errors[0]?.param).toBe('id');
});

test.each([
  'https://shop.example',
  'http://localhost:3000',
  'https://shop.example:8443',
  'https://xn--mller-kva.example',
])('lists the origin %s, and then allows no other', (origin) => {
  const { key } = ApiKey.create({ ...SECRET, origins: [origin] }, MOMENT);
  const others = [
    'null',
    '',
    `${origin}/`,
    `${origin}.evil.example`,
    origin.toUpperCase(),
    `${origin}:443`,
  ];
  expect([origin, ...others].filter((one) => key.allows(one))).toEqual([origin]);
});

test.each([
  ...[
    'null',
    '*',
    '',
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://SHOP.example',
  ],
  ...['https://shop.example:443', 'https://user@shop.example', 'file:///etc', 'data:text/html,x'],
])('refuses to list the origin %j', (origin) => {
  expect(paramOf({ ...SECRET, origins: ['https://shop.example', origin] })).toBe('origins[1]');
});

test.each([
  ['  Shop  ', 'Shop'],
  ['x', 'x'],
  ['x'.repeat(255), 'x'.repeat(255)],
])('accepts %j as the name of an organization', (given, name) => {
  const organization = Organization.create(given, NOW);
  expect(organization).toEqual({
    id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
    reference: null,
    settings: {
      name,
      contact: null,
      termsUrl: null,
      privacyUrl: null,
      paymentUrl: { test: null, live: null },
      refundApproval: 'keys',
      detailsRetentionDays: null,
      uniqueReferences: false,
    },
  });
});

test.each(['', '   ', 'x'.repeat(256)])('refuses %j as the name of an organization', (name) => {
  expect(() => Organization.create(name, NOW)).toThrow('A name has 1 to 255 characters.');
});
