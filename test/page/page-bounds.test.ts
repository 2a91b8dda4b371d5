/** The requests, bytes, time and bodies of one page have bounds. */
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { openPage, submit, visit } from '../support/page.js';
import { head, sendBytes } from '../support/raw.js';

const service = useService({ config: { publicUrl: 'https://pay.example' } });
const shop = useShop(service);

const open = async (more: object = {}) => (await openPage(shop, { ...SMALLEST, ...more })).path;
const lines = (count: number, name: string, description?: string) =>
  Array.from({ length: count }, () => ({
    quantity: 2,
    price_data: {
      currency: 'usd',
      unit_amount: 1,
      product_data: { name, ...(description && { description }) },
    },
  }));

test('takes 20 requests a second for one link, and does not count them for another link', async () => {
  const [path, other] = [await open(), await open()];
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 60 }, () => visit(service.url + path)));
  const seconds = Math.ceil((performance.now() - began) / 1000) + 1;
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(60 - 20 * seconds);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
  for (const { headers, text } of refused) {
    expect([headers.get('content-type'), headers.get('retry-after')]).toEqual([
      'text/html; charset=utf-8',
      '1',
    ]);
    expect(text).toContain('<h1>Something went wrong</h1>');
  }
  expect((await visit(service.url + other)).status).toBe(200);
});

test('does not count requests for a link that was never made', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => visit(`${service.url}/c/${'A'.repeat(66)}`)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
});

describe('a page', () => {
  test.each([
    ['en', 'and 80 more'],
    ['de', 'und 80 weitere'],
    ['fr', 'et 80 de plus'],
    ['es', 'y 80 más'],
    ['ja', 'ほか 80 点'],
    ['ar', 'و80 أخرى'],
  ])('shows 20 lines in %s', async (locale, more) => {
    const { text } = await visit(
      service.url + (await open({ locale, line_items: lines(100, 'Book') })),
    );
    expect([text.match(/<li>/g)?.length, text.includes(more)]).toEqual([20, true]);
  });

  test('counts the tax of lines that it does not show', async () => {
    const taxed = (tax_behavior: string, amount_tax: number) => {
      const price_data = {
        currency: 'usd',
        unit_amount: 1000,
        tax_behavior,
        product_data: { name: 'Taxed' },
      };
      return { price_data, amount_tax };
    };
    const last = [taxed('exclusive', 123), taxed('inclusive', 45), taxed('exclusive', 6)];
    const line_items = [...lines(25, 'Book'), ...last];
    const { text } = await visit(service.url + (await open({ line_items })));
    const rows = [...text.matchAll(/<dt>(.*?)<\/dt><dd><bdi>(.*?)<\/bdi>/g)].map((row) =>
      row.slice(1),
    );
    expect(Object.fromEntries(rows)).toEqual({
      Subtotal: '$30.50',
      Tax: '$1.29',
      Total: '$31.79',
      'Tax included': '$0.45',
    });
    expect(text.match(/<li>/g)).toHaveLength(20);
  });

  test('shows whole texts if they are short, or the beginnings of all', async () => {
    const short = await visit(
      service.url + (await open({ line_items: lines(21, 'n'.repeat(100), 'd'.repeat(100)) })),
    );
    expect(short.text.match(/n{100}.*?d{100}/g)).toHaveLength(20);
    const long = await visit(
      service.url + (await open({ line_items: lines(20, '😀'.repeat(255), 'd'.repeat(101)) })),
    );
    expect(long.text.match(/>😀{49}…</gu)).toHaveLength(20);
  });

  test.each(['"', '&', '😀', 'ü'])('has at most 64 KiB with nothing but %s', async (letter) => {
    const rest = letter === '😀' || letter === 'ü' ? 500 : 2000;
    const url = `https://shop.example/${letter.repeat(rest)}`;
    const link = `https://shop.example/${letter.repeat(letter === '😀' ? 240 : 479)}`.slice(0, 500);
    const shown =
      'UPDATE organizations SET name = $1, contact = $2::text, terms_url = $2::text, privacy_url = $2::text';
    await service.sql.query(shown, [letter.repeat(255), link]);
    const path = await open({
      ui_mode: 'embedded',
      description: letter.repeat(1000),
      success_url: url,
      cancel_url: url,
      return_url: url,
      line_items: lines(40, letter.repeat(255), letter.repeat(1000)),
    });
    for (const rest of ['', '/embed', '/cancel']) {
      const { status, text } = await visit(service.url + path + rest);
      expect([status, Buffer.byteLength(text) <= 65_536]).toEqual([200, true]);
    }
    await submit(`${service.url}${path}/pretend/pay`);
    const paid = await visit(`${service.url}${path}/embed`);
    expect([paid.status, Buffer.byteLength(paid.text) <= 65_536]).toEqual([200, true]);
  });
});

test('stores Pay once, however often it is pressed', async () => {
  const path = await open();
  const startedAt = async () =>
    (await service.sql.query('SELECT max(started_at) AS at FROM checkout_pages')).rows[0].at;
  await submit(`${service.url}${path}/pay`);
  const first = await startedAt();
  expect((await submit(`${service.url}${path}/pay`)).location).toBe(`${path}/pretend`);
  expect(await startedAt()).toEqual(first);
});

describe('a form', () => {
  test('is taken with 1 KiB and refused with a byte more, with and without a Content-Length', async () => {
    const path = await open();
    const send = (body: NonNullable<RequestInit['body']>, more: object = {}) =>
      submit(`${service.url}${path}/pay`, { body, ...more });
    expect((await send('a'.repeat(1024))).status).toBe(303);
    const refused = [
      await send('a'.repeat(1025)),
      await send(new Blob(['a'.repeat(1025)]).stream(), { duplex: 'half' }),
      await send(`{"a":"${'a'.repeat(1024)}"}`, {
        headers: { 'content-type': 'application/json' },
      }),
    ];
    const shown = refused.map(({ status, headers }) => [
      status,
      headers.get('content-type'),
      headers.get('connection'),
    ]);
    expect(shown).toEqual(Array(3).fill([413, 'text/html; charset=utf-8', 'close']));
  });

  test.each(['pay', 'unknown'])('is not read to its end after the answer to %s', async (last) => {
    const path = await open();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 99999999999'];
    socket.write(head(`POST ${path}/${last} HTTP/1.1`, 'Host: x', ...form));
    const chunk = Buffer.alloc(65_536, 'a');
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pump);
    const answer = await new Promise((resolve) => socket.once('data', resolve));
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
    pump();
    await new Promise((resolve) => socket.once('close', resolve));
    // The kernel buffers some of the bytes at both ends.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(16 * 1024 * 1024);
  });
});

test.each([
  ['PUT', '', 405],
  ['DELETE', '/embed/return', 405],
  ['GET', '/pay', 405],
  ['OPTIONS', '', 405],
  ['GET', '/unknown', 404],
  ['POST', '/a/b/c', 404],
])('answers %s %s with %i and a page', async (method, rest, status) => {
  const answer = await visit(service.url + (await open()) + rest, { method });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=utf-8',
  ]);
  expect(answer.text).toContain('<!doctype html>');
  expect(answer.headers.get('allow') !== null).toBe(status === 405);
});

test('closes the connection after the endless body of another method', async () => {
  const { text } = await sendBytes(
    service.url,
    head('PUT /c/x HTTP/1.1', 'Host: x', 'Content-Length: 99999999999'),
  );
  expect(text).toContain('<!doctype html>');
});
