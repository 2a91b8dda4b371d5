import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  currency,
  duration,
  emailAddress,
  end,
  id,
  wholeNumber,
} from '../../src/operator/cli/arguments.js';
import { ORGANIZATION_ID } from '../../src/shared/id.js';

const NOW = Date.UTC(2026, 0, 1);
const ORGANIZATION = 'org_00000000000000000000000001';
const DAY_MS = 86_400_000;

type Read = (text: string) => unknown;

beforeAll(() => void jest.useFakeTimers({ now: NOW }));
afterAll(() => void jest.useRealTimers());

describe('the command line', () => {
  test.each<[string, Read, string, unknown]>([
    ['an ID', id(ORGANIZATION_ID), ORGANIZATION, ORGANIZATION],
    ['the smallest number', wholeNumber(1, 100), '1', 1],
    ['the largest number', wholeNumber(1, 100), '100', 100],
    ['an e-mail address', emailAddress, '"a b"@bücher.example', '"a b"@bücher.example'],
    ['a currency in any case', currency, 'JPY', 'jpy'],
    ['seconds', duration, '90s', 90_000],
    ['minutes', duration, '45m', 2_700_000],
    ['hours', duration, '12h', 43_200_000],
    ['days', duration, '7d', 7 * DAY_MS],
    ['a span', end, '30d', { lifetime: 30 * DAY_MS }],
    ['a date', end, '2030-01-02', { expiresAt: Date.UTC(2030, 0, 2) }],
    [
      'an RFC 3339 instant',
      end,
      '2030-01-02T03:04:05+01:00',
      { expiresAt: Date.UTC(2030, 0, 2, 2, 4, 5) },
    ],
    ['Unix seconds', end, '1893542400', { expiresAt: Date.UTC(2030, 0, 2) }],
  ])('accepts %s', (_, read, text, value) => {
    expect(read(text)).toEqual(value);
  });
});

describe('the command line refuses wrong arguments', () => {
  test.each<[string, Read, readonly string[]]>([
    [
      'It must be a whole identifier, org_…, with 26 characters after the last _.',
      id(ORGANIZATION_ID),
      ['shop', 'key_00000000000000000000000001', ''],
    ],
    [
      'It must be a whole number from 1 to 100.',
      wholeNumber(1, 100),
      ['0', '101', '1.5', '-1', '1e1', ''],
    ],
    [
      'It must be one e-mail address.',
      emailAddress,
      ['ada', 'ada@', 'a@b.example,c@d.example', `a@${'b.'.repeat(125)}example`, ''],
    ],
    ['It must be an ISO 4217 currency code.', currency, ['xau', '']],
    ['It must be a span like 90s, 45m, 12h or 7d.', duration, ['7', 'd', '-1d', '1w', '1.5h']],
    [
      'It must be in the future: a span like 30d, an RFC 3339 time, a date or Unix seconds; or never.',
      end,
      ['soon', '0d', '2001-01-01', '2026-01-01', '1e10'],
    ],
  ])('and says: %s', (message, read, texts) => {
    for (const text of texts) expect(() => read(text)).toThrow(message);
  });
});
