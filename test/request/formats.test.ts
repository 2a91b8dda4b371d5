import { expect, test } from '@jest/globals';
import * as formats from '../../src/request/validation/formats.js';
import { isCallbackUrl } from '../../src/shared/callback-urls.js';

const { parseInstant } = formats;
const FORMATS = { ...formats, isCallbackUrl };
type FormatName = Extract<keyof typeof FORMATS, `is${string}`>;

/** This name is as long as a name may be. */
const NAME = `${'a.'.repeat(126)}a`;

const ACCEPTED: readonly [FormatName, readonly string[]][] = [
  ['isCurrency', ['usd', 'JPY', 'Kwd']],
  [
    'isWebUrl',
    [
      ...[
        'https://shop.example',
        'https://shop.example/a?b=c#d',
        'HTTPS://SHOP.EXAMPLE',
        'https://müller.example/ä',
      ],
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
    'isCallbackUrl',
    [
      'https://a.example',
      'https://a.example:80/',
      'https://a.example:1024/',
      'http://a.example:8080/',
      `https://${NAME}/`,
    ],
  ],
  [
    'isAddrSpec',
    ['ada@example.com', 'a.b+c@sub.example.org', 'ada@localhost', `${'a'.repeat(64)}@example.com`],
  ],
  [
    'isAddrSpec',
    ['a@[127.0.0.1]', 'a@[IPv6:::1]', 'a@[ipv6:2001:DB8::ffff:192.0.2.1]', '"a b"@example.com'],
  ],
  [
    'isLocale',
    ['auto', 'en', 'de-CH', 'zh-hant-tw', 'sl-rozaj-biske-1994', 'en-u-ca-buddhist', 'EN-us'],
  ],
  [
    'isInstant',
    ['0', '1763700000', '253402300799', '2026-01-31', '2024-02-29', '2026-01-31T10:00:00Z'],
  ],
];

/** These instants come from the examples of RFC 3339 and from Unix time itself. */
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
  [`2026-01-31T10:00:00.${'9'.repeat(500)}Z`, Date.UTC(2026, 0, 31, 10, 0, 0, 999)],
  ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ['2016-12-31T23:59:60.25Z', Date.UTC(2017, 0, 1, 0, 0, 0, 250)],
  ['1990-12-31T15:59:60-08:00', Date.UTC(1991, 0, 1)],
  ['2015-07-01t05:29:60.000 05:30', Date.UTC(2015, 6, 1)],
  ['20251301', 20_251_301_000],
  ['20250229', 20_250_229_000],
  ['00000000', 0],
  ['2025010', 2_025_010_000],
];

test.each(pairs(ACCEPTED))('%s accepts %j', (format, text) => {
  expect(FORMATS[format](text)).toBe(true);
});

/** JSON-Schema-Test-Suite has many of these values. */
const REFUSED: readonly [FormatName, readonly string[]][] = [
  [
    'isWebUrl',
    [
      ...[
        'https://user:secret@shop.example/',
        'https://user@shop.example',
        'https://:secret@shop.example?a',
      ],
      ...[
        'https://@shop.example#a',
        'http://user@localhost/',
        'https://%7BA%7D.example/',
        'https://a%7b.example',
      ],
    ],
  ],
  ['isCallbackUrl', ['https://user:secret@shop.example/', 'https://@shop.example/']],
  [
    'isAddrSpec',
    [...'\u200b\u00ad\u2060\ufeff\u202e\u061c\u180e\u{e0041}\u3164\ufe0f\u2800'].flatMap((sign) => [
      `a${sign}@shop.example`,
      `${sign}a@shop.example`,
      `a@sh${sign}op.example`,
      `a@shop.example${sign}`,
    ]),
  ],
  [
    'isAddrSpec',
    [
      'a@[IPv6:127.0.0.1]',
      'a@[IPv6:::g]',
      'a@[IPv6:]',
      'a@[IPv6:::1',
      'a@IPv6:::1',
      'a@[IPv6:fe80::1%eth0]',
    ],
  ],
  ['isInstant', ['20250101', '19700101', '20240229', '00010101']],
  [
    'isInstant',
    [
      ...[
        '2016-12-31T23:58:60Z',
        '2016-12-31T22:59:60Z',
        '2016-12-30T23:59:60Z',
        '2016-12-31T23:59:61Z',
      ],
      ...[
        '2016-12-31T23:59:60+01:00',
        '2016-12-31T23:60:60Z',
        '2016-12-31T23:59:60.Z',
        '1969-12-31T22:59:60Z',
      ],
      ...['2016-12-31T23:59:60', '2026-01-31T10:00:00.Z', '2026-01-31T10:60:00Z', '253402300800'],
    ],
  ],
];

test.each(pairs(REFUSED))('%s refuses %j', (format, text) => {
  expect(FORMATS[format](text)).toBe(false);
});

test.each(INSTANTS)('%s is read as the instant %i', (text, instant) => {
  expect(parseInstant(text)).toBe(instant);
});

function pairs(table: readonly [FormatName, readonly string[]][]): [FormatName, string][] {
  return table.flatMap(([format, texts]) =>
    texts.map((text): [FormatName, string] => [format, text]),
  );
}
