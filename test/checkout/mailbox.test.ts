/** Two spellings of an address are one mailbox when RFC 5321, RFC 6531 and UTS 46 say so. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mailboxOf } from '../../src/request/validation/mailbox.js';

describe('one mailbox', () => {
  const ROWS: [one: string, other: string][] = [
    ['ana@shop.example', 'ANA@SHOP.EXAMPLE'],
    ['ana@shop.example', 'ana@shop.example.'],
    ['ana@shop.example', 'ana@shop。example。'],
    ['ana@shop.example', 'ana@ＳＨＯＰ.example'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ['ana@bücher.example', 'Ana@XN--BCHER-KVA.Example'],
    ['ana@bücher.example', 'ana@BÜCHER.example'],
    ['ana@bücher.example', 'ana@bu\u0308cher.example'],
    ['ana@straße.example', 'ana@xn--strae-oqa.example'],
    ['ana@παράδειγμα.example', 'ana@ΠΑΡΆΔΕΙΓΜΑ.example'],
    ['Ünal@shop.example', 'ünal@shop.example'],
    ['José@shop.example', 'jose\u0301@shop.example'],
    ['straße@shop.example', 'STRASSE@shop.example'],
    ['straße@shop.example', 'stra\u1e9ee@shop.example'],
    ['νίκος@shop.example', 'ΝΊΚΟΣ@shop.example'],
    ['İpek@shop.example', 'i\u0307pek@shop.example'],
    ['한글@shop.example', '한글@shop.example'],
    ['ana@shop.example', '"ana"@shop.example'],
    ['ana@shop.example', '"\\A\\n\\a"@shop.example'],
    ['ana.maria@shop.example', '"Ana.Maria"@shop.example'],
    ['ünal@shop.example', '"ÜNAL"@shop.example'],
    ['"ana maria"@shop.example', '"Ana\\ Maria"@shop.example'],
    ['"a@b"@shop.example', '"A\\@B"@SHOP.example'],
    ['ana@[127.0.0.1]', 'Ana@[127.0.0.1]'],
    ['ana@[IPv6:2001:db8::1]', 'ana@[ipv6:2001:DB8::1]'],
    ['ana@[IPv6:2001:db8::1]', 'ana@[IPv6:2001:db8:0:0:0:0:0:0001]'],
    ['ana@[IPv6:2001:db8::c000:201]', 'ana@[IPv6:2001:0DB8::192.0.2.1]'],
    ['ana@xn--99999999.example', 'ana@XN--99999999.example'],
  ];

  test.each(ROWS)('has the spellings %j and %j', (one, other) => {
    expect(mailboxOf(other)).toBe(mailboxOf(one));
  });
});

test.each([
  ['ana@shop.example', 'anna@shop.example'],
  ['ana@shop.example', 'ana@shop.test'],
  ['ana@shop.example', 'ana@www.shop.example'],
  ['ana@shop.example', 'ana+shop@shop.example'],
  ['ana.maria@gmail.example', 'anamaria@gmail.example'],
  ['ana_maria@shop.example', 'anaXmaria@shop.example'],
  ['ana%@shop.example', 'anaX@shop.example'],
  ['José@shop.example', 'Jose@shop.example'],
  ['ışıl@shop.example', 'isil@shop.example'],
  ['ana@straße.example', 'ana@strasse.example'],
  ['ana@bücher.example', 'ana@bucher.example'],
  ['ana@shop.example', 'аna@shop.example'],
  ['"ana maria"@shop.example', '"ana  maria"@shop.example'],
  ['"ana..maria"@shop.example', 'ana.maria@shop.example'],
  ['"a\\"b"@shop.example', '"ab"@shop.example'],
  ['"a\\\\b"@shop.example', 'ab@shop.example'],
  ['ana@[127.0.0.1]', 'ana@[127.0.0.2]'],
  ['ana@[IPv6:2001:db8::1]', 'ana@[IPv6:2001:db8::10]'],
  ['ana@[IPv6:::1]', 'ana@[IPv6:::]'],
])('takes %j and %j for two mailboxes', (one, other) => {
  expect(mailboxOf(other)).not.toBe(mailboxOf(one));
});

test('takes all Unicode forms and letter cases of a local part for one mailbox', () => {
  const local = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(local, (text) => {
      const mailbox = mailboxOf(`${text}@shop.example`);
      for (const other of [text.normalize('NFC'), text.normalize('NFD'), text.toLowerCase()])
        expect([other, mailboxOf(`${other}@shop.example`)]).toEqual([other, mailbox]);
    }),
  );
});

test('takes both cases of each letter for one mailbox', () => {
  const letters = Array.from({ length: 0x1_e944 }, (_, code) => String.fromCodePoint(code));
  const cased = letters.filter((letter) => /\p{Cased_Letter}/u.test(letter));
  const mailbox = (letter: string) => mailboxOf(`x${letter}y@shop.example`);
  const others = cased.filter((letter) => {
    const cases = [letter.toLowerCase(), letter.toUpperCase()];
    return letter !== 'ı' && !cases.every((one) => mailbox(one) === mailbox(letter));
  });
  expect(cased.length).toBeGreaterThan(2000);
  expect(others).toEqual([]);
});
