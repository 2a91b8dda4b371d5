import { describe, expect, test } from '@jest/globals';
import { Arguments, UsageError } from '../../src/cli/arguments.js';

const NOW = Date.UTC(2026, 0, 1);
const ORGANIZATION = 'org_00000000000000000000000001';
const DAY_MS = 86_400_000;

type Read = (given: Arguments) => unknown;

function given(options: Record<string, string>, ...words: string[]): Arguments {
  return new Arguments(options, words);
}

const subject: Read = (words) => words.subject('name');
const keyId: Read = (words) => words.subjectId('key');
const organization: Read = (options) => options.id('org', 'org');
const mode: Read = (options) => options.oneOf('mode', ['test', 'live']);
const amount: Read = (options) => options.amount('amount');
const currency: Read = (options) => options.currency('currency');
const overlap: Read = (options) => options.duration('overlap', '7d');
const expires: Read = (options) => options.instant('expires', NOW);

describe('what is right', () => {
  test.each<[string, Read, Arguments, unknown]>([
    ['a word', subject, given({}, 'My Shop'), 'My Shop'],
    ['an id', organization, given({ org: ORGANIZATION }), ORGANIZATION],
    ['one of a list', mode, given({ mode: 'live' }), 'live'],
    ['the smallest amount', amount, given({ amount: '1' }), 1],
    ['the largest amount', amount, given({ amount: '999999999999' }), 999_999_999_999],
    ['a currency in any case', currency, given({ currency: 'JPY' }), 'jpy'],
    ['seconds', overlap, given({ overlap: '90s' }), 90_000],
    ['minutes', overlap, given({ overlap: '45m' }), 2_700_000],
    ['hours', overlap, given({ overlap: '12h' }), 43_200_000],
    ['the usual span', overlap, given({}), 7 * DAY_MS],
    ['no instant', expires, given({}), null],
    ['a span from now', expires, given({ expires: '30d' }), NOW + 30 * DAY_MS],
    ['a date', expires, given({ expires: '2030-01-02' }), Date.UTC(2030, 0, 2)],
    ['an RFC 3339 instant', expires, given({ expires: '2030-01-02T03:04:05+01:00' }), Date.UTC(2030, 0, 2, 2, 4, 5)],
    ['Unix seconds', expires, given({ expires: '1893542400' }), Date.UTC(2030, 0, 2)],
  ])('%s', (_, read, options, value) => {
    expect(read(options)).toEqual(value);
  });
});

describe('what is wrong is said in one line', () => {
  test.each<[Read, Arguments, string]>([
    [subject, given({}), 'name is missing.'],
    [subject, given({}, 'My', 'Shop'), 'Shop is one word too many: quote a name with spaces.'],
    [keyId, given({}, ORGANIZATION), `${ORGANIZATION} is not an identifier that begins with key_.`],
    [organization, given({}), '--org is missing.'],
    [organization, given({ org: 'shop' }), 'shop is not an identifier that begins with org_.'],
    [mode, given({}), '--mode is missing.'],
    [mode, given({ mode: 'demo' }), '--mode must be one of test, live.'],
    ...['0', '-5', '1.5', '1e3', '1000000000000', ''].map((wrong): [Read, Arguments, string] => [
      amount,
      given({ amount: wrong }),
      '--amount must be a whole number of minor units, from 1 to 999999999999.',
    ]),
    [currency, given({ currency: 'xau' }), '--currency must be an ISO 4217 currency code.'],
    ...['7', 'd', '-1d', '1w', '1.5h'].map((wrong): [Read, Arguments, string] => [
      overlap,
      given({ overlap: wrong }),
      '--overlap must be a span like 90s, 45m, 12h or 7d.',
    ]),
    ...['soon', '0d', '2001-01-01', '2026-01-01', '1e10'].map((wrong): [Read, Arguments, string] => [
      expires,
      given({ expires: wrong }),
      '--expires must be ahead: a span like 30d, an RFC 3339 instant, a date or Unix seconds.',
    ]),
  ])('case %#', (read, options, message) => {
    expect(() => read(options)).toThrow(new UsageError(message));
  });
});
