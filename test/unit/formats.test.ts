import { expect, test } from '@jest/globals';
import { FORMATS, type FormatName, parseInstant } from '../../src/validation/formats.js';

/** As long as a name may be. */
const NAME = `${'a.'.repeat(126)}a`;

const ACCEPTED: readonly [FormatName, readonly string[]][] = [
  ['isCurrency', ['usd', 'JPY', 'Kwd']],
  [
    'isWebUrl',
    [
      ...['https://shop.example', 'https://shop.example/a?b=c#d', 'HTTPS://SHOP.EXAMPLE', 'https://müller.example/ä'],
      ...[
        'http://localhost',
        'http://localhost:3000/x',
        'http://127.0.0.1:8080/',
        'http://[::1]/',
        'https://10.0.0.1/',
      ],
    ],
  ],
  [
    'isWebhookUrl',
    [
      'https://a.example',
      'https://a.example:80/',
      'https://a.example:1024/',
      'http://a.example:8080/',
      `https://${NAME}/`,
    ],
  ],
  ['isAddrSpec', ['ada@example.com', 'a.b+c@sub.example.org', 'ada@localhost', `${'a'.repeat(64)}@example.com`]],
  ['isLocale', ['auto', 'en', 'de-CH', 'zh-hant-tw', 'sl-rozaj-biske-1994', 'en-u-ca-buddhist', 'EN-us']],
  ['isInstant', ['0', '1763700000', '253402300799', '2026-01-31', '2024-02-29', '2026-01-31T10:00:00Z']],
];

/** From the RFC 3339 examples and Unix time itself. */
const INSTANTS: readonly [string, number][] = [
  ['0', 0],
  ['1763700000', 1_763_700_000_000],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['1985-04-12T23:20:50.52Z', Date.UTC(1985, 3, 12, 23, 20, 50, 520)],
  ['1996-12-19T16:39:57-08:00', Date.UTC(1996, 11, 20, 0, 39, 57)],
  ['2026-01-31t10:00:00z', Date.UTC(2026, 0, 31, 10)],
  ['2026-01-31 10:00:00Z', Date.UTC(2026, 0, 31, 10)],
  ['2026-01-31T10:00:00 02:00', Date.UTC(2026, 0, 31, 8)],
  ['2026-01-31T10:00:00.123456789Z', Date.UTC(2026, 0, 31, 10, 0, 0, 123)],
];

test.each(pairs(ACCEPTED))('%s: %j is one', (format, text) => {
  expect(FORMATS[format](text)).toBe(true);
});

test.each(INSTANTS)('%s is the instant %i', (text, instant) => {
  expect(parseInstant(text)).toBe(instant);
});

function pairs(table: readonly [FormatName, readonly string[]][]): [FormatName, string][] {
  return table.flatMap(([format, texts]) => texts.map((text): [FormatName, string] => [format, text]));
}
