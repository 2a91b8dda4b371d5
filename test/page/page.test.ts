/** Customers pay on this page. These tests see it as a browser without scripts does. */
import { describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { openPage, pathIn, submit, visit } from '../support/page.js';
import { head, sendBytes } from '../support/raw.js';

/** A proxy in front of the service takes the prefix away. */
const PUBLIC_URL = 'https://pay.example/shop';
const TOKEN = '[A-Za-z0-9_-]{66}';

const service = useService({ config: { publicUrl: `${PUBLIC_URL}/`, webhookAllowPrivate: true } });
const elsewhere = useOther(service, {
  config: { publicUrl: 'https://other.example', webhookAllowPrivate: true },
});
/** This instance has no address for customers. */
const hidden = useOther(service, { config: { webhookAllowPrivate: true } });
/** This service runs on another database. */
const stranger = useService({ config: { publicUrl: PUBLIC_URL } });
const shop = useShop(service);

const at = (path: string) => service.url + path.replace(/^\/shop/, '');
const open = (more: object = {}) => openPage(shop, { ...SMALLEST, ...more });

describe('the address of a page', () => {
  test('is in the response that creates, replays or reads a session, and stays the same', async () => {
    const made = await shop.post('/v1/checkout_sessions', SMALLEST, 'page');
    const link = made.headers.get('link');
    expect(link).toMatch(new RegExp(`^<${PUBLIC_URL}/c/${TOKEN}>; rel="payment"$`));
    const replayed = await shop.post('/v1/checkout_sessions', SMALLEST, 'page');
    expect([replayed.headers.get('link'), replayed.text]).toEqual([link, made.text]);
    const { id, expires_at } = made.body;
    expect((await shop.get(`/v1/checkout_sessions/${id}`)).headers.get('link')).toBe(link);
    const page = await shop.get(`/v1/checkout_sessions/${id}/page`);
    const url = `https://pay.example${pathIn(made.headers)}`;
    expect([page.status, page.body]).toEqual([
      200,
      { object: 'checkout.page', checkout_session: id, url, embed_url: null, expires_at },
    ]);
    const embedded = (await shop.createSession({ ...SMALLEST, ui_mode: 'embedded' })).body;
    const { body } = await shop.get(`/v1/checkout_sessions/${embedded.id}/page`);
    expect(body.embed_url).toBe(`${body.url}/embed`);
  });

  test('is in responses for open sessions only', async () => {
    const create = () => shop.post('/v1/checkout_sessions', SMALLEST, 'closed');
    const { id } = (await create()).body;
    const expired = await shop.expire(id);
    const replayed = await create();
    expect([replayed.status, replayed.body.status]).toEqual([201, 'open']);
    const read = await shop.get(`/v1/checkout_sessions/${id}`);
    expect([expired, replayed, read].map(({ headers }) => headers.get('link'))).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('is valid on every process of the database, and on no other', async () => {
    const { path } = await open();
    expect((await visit(elsewhere.url + path.replace('/shop', ''))).status).toBe(200);
    expect((await visit(stranger.url + path.replace('/shop', ''))).status).toBe(404);
  });

  test("does not contain the session's ID, and a wrong one is not found", async () => {
    const [one, other] = [await open(), await open()];
    const [first = '', second = ''] = [one, other].map(({ path }) => path.split('/').at(-1));
    const bytes = (token: string) => Buffer.from(token, 'base64url').toString('hex');
    for (const id of [one.id, shop.organization]) {
      for (const token of [first, second])
        expect(bytes(token)).not.toContain(uuidOf(id).slice(0, 8));
    }
    const swapped = bytes(first).slice(0, 32) + bytes(second).slice(32);
    const wrong = [
      one.id,
      'nothing',
      first.slice(1),
      `${first}A`,
      `${first.slice(0, -1)}_`,
      `${first[0] === 'A' ? 'B' : 'A'}${first.slice(1)}`,
      Buffer.from(swapped, 'hex').toString('base64url'),
      'A'.repeat(66),
      '%00',
    ];
    const answers = await Promise.all(wrong.map((token) => visit(at(`/shop/c/${token}`))));
    expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 404));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await submit(at('/shop/c/nothing/pay'))).status).toBe(404);
  });

  test('is served only if PUBLIC_URL is set', async () => {
    const { id, path } = await open();
    const there = shop.at(hidden);
    const read = await there.get(`/v1/checkout_sessions/${id}`);
    expect([read.status, read.headers.get('link')]).toEqual([200, null]);
    expect((await there.get(`/v1/checkout_sessions/${id}/page`)).status).toBe(404);
    expect((await visit(hidden.url + path.replace('/shop', ''))).status).toBe(404);
  });

  test('does not depend on the headers of a request', async () => {
    const { path } = await open();
    const evil = [
      'Host: evil.example',
      'X-Forwarded-Host: evil.example',
      'Forwarded: host=evil.example',
    ];
    const ask = (method: string, rest = '') =>
      sendBytes(
        service.url,
        head(`${method} ${path.replace('/shop', '')}${rest} HTTP/1.1`, ...evil),
      );
    const page = await ask('GET');
    expect([page.status, page.text]).toEqual([200, (await visit(at(path))).text]);
    const paid = await ask('POST', '/pay');
    expect([paid.status, paid.headers.get('location')]).toEqual([303, `${path}/pretend`]);
  });
});

test('sends headers that forbid frames, scripts and forms of others', async () => {
  const { path } = await open({ success_url: 'https://shop.example/thanks' });
  const { headers } = await visit(at(path));
  const {
    date: _date,
    'request-id': _id,
    'content-length': _length,
    ...rest
  } = Object.fromEntries(headers);
  expect(rest).toEqual({
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; img-src data:; form-action 'self' https:\/\/shop\.example; base-uri 'none'; require-trusted-types-for 'script'; frame-ancestors 'none'$/,
    ),
    'content-type': 'text/html; charset=utf-8',
    'keep-alive': 'timeout=65',
    'referrer-policy': 'no-referrer',
    vary: 'Accept-Language',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  });
});

test('escapes the texts of the shop', async () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\`{shop}`;
  const { path } = await open({
    description: evil,
    metadata: { evil },
    customer_email: 'evil@example.com',
    cancel_url: `https://shop.example/?a="onclick=alert(1)&<script>`,
    line_items: [
      {
        quantity: 2,
        price_data: {
          currency: 'usd',
          unit_amount: 1,
          product_data: { name: evil, description: evil },
        },
      },
    ],
  });
  const { text } = await visit(at(path));
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).not.toMatch(/<img|"onclick/);
  expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
});

test("shows the order's discount beside those of lines, and the contained tax once", async () => {
  const line = (unit_amount: number, more: object, tax_behavior = 'inclusive') => ({
    price_data: { currency: 'usd', unit_amount, tax_behavior, product_data: { name: 'Pen' } },
    ...more,
  });
  const { path } = await open({
    amount_discount: 800,
    amount_shipping: 490,
    amount_tax: 468,
    amount_total: 1880,
    line_items: [
      line(1000, { amount_discount: 300, amount_tax: 200 }),
      line(1000, { amount_tax: 190 }, 'exclusive'),
    ],
  });
  const rows = (await visit(at(path))).text.matchAll(/<dt>([^<]+)<\/dt><dd><bdi>([^<]+)</g);
  expect([...rows].map(([, name, amount]) => [name, amount])).toEqual([
    ['Subtotal', '$20.00'],
    ['Discount', '-$3.00'],
    ['Discount on the order', '-$5.00'],
    ['Shipping', '$4.90'],
    ['Tax', '$1.90'],
    ['Total', '$18.80'],
    ['Tax included', '$2.78'],
  ]);
});

describe('the amount and the language of a page', () => {
  const shown = async (
    locale: string | undefined,
    currency: string,
    unit_amount: number,
    headers = {},
  ) => {
    const line = { price_data: { currency, unit_amount, product_data: { name: 'x' } } };
    const { path } = await openPage(shop, { currency, locale, line_items: [line] });
    const { text } = await visit(at(path), { headers });
    const [, lang, dir] = /<html lang="(\w+)" dir="(\w+)">/.exec(text) ?? [];
    return [
      lang,
      dir,
      /<p class="amount"><bdi>([^<]+)</
        .exec(text)?.[1]
        ?.replaceAll(/[\u00a0\u202f\u200f\u200e\u061c]/g, ' ')
        .trim(),
    ];
  };

  test.each([
    [undefined, 'usd', 999_999_999_999, 'en', 'ltr', '$9,999,999,999.99'],
    ['en-US', 'jpy', 1234, 'en', 'ltr', '¥1,234'],
    ['en', 'kwd', 1234, 'en', 'ltr', 'KWD 1.234'],
    ['en', 'iqd', 1234, 'en', 'ltr', 'IQD 1.234'],
    ['en', 'usd', 5, 'en', 'ltr', '$0.05'],
    ['de-DE', 'eur', 123456, 'de', 'ltr', '1.234,56 €'],
    ['fr', 'eur', 123456, 'fr', 'ltr', '1 234,56 €'],
    ['es', 'eur', 123456, 'es', 'ltr', '1234,56 €'],
    ['ja', 'jpy', 1234, 'ja', 'ltr', '￥1,234'],
    ['ar-AE', 'aed', 1234, 'ar', 'rtl', expect.stringContaining('12.34')],
    ['nl-NL', 'eur', 123456, 'en', 'ltr', '€ 1.234,56'],
  ])(
    'are those of the locale %s in the currency %s',
    async (locale, currency, amount, ...expected) => {
      expect(await shown(locale, currency, amount)).toEqual(expected);
    },
  );

  test("follow the browser's language if the session has none", async () => {
    const asked = (language: string) =>
      shown('auto', 'eur', 123456, { 'accept-language': language });
    expect(await asked('tlh, fr-CA;q=0.9, de;q=0.8')).toEqual(['fr', 'ltr', '1 234,56 €']);
    expect(await asked('en;q=0.5, de;q=0, fr;q=0.9')).toEqual(['fr', 'ltr', '1 234,56 €']);
    expect(await asked('constructor, *, de-x-1-')).toEqual(['en', 'ltr', '€1,234.56']);
  });
});
