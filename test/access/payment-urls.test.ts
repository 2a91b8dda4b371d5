/** An operator sets the payment URL, the contact and the terms that an organization's pages use. */
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { command } from '../support/command.js';
import { openPage, submit, visit } from '../support/page.js';
import { Shop, unknownId } from '../support/shop.js';

const PUBLIC_URL = 'https://checkout.example';
const TEMPLATE =
  'https://pay.example/start?id={CHECKOUT_SESSION_ID}&of={ORGANIZATION}&back={RETURN_URL}&no={CANCEL_URL}&~';

const service = useService({ config: { publicUrl: PUBLIC_URL } });
const shop = useShop(service);

const set = (...words: string[]) =>
  command(['org', 'set', ...words], { DATABASE_URL: service.databaseUrl });

async function run(...words: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await set(shop.organization, ...words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

/**
 * Returns the address behind Pay on the page of a new session, the session's ID and the page's
 * path.
 */
async function pay(of: Shop, body: object = SMALLEST) {
  const { id, path } = await openPage(of, body);
  const { status, location } = await submit(`${service.url}${path}/pay`);
  expect(status).toBe(303);
  return { id, path, location };
}

function filled(id: string, path: string): string {
  const [back, no] = ['return', 'cancel'].map((way) =>
    encodeURIComponent(`${PUBLIC_URL}${path}/${way}`),
  );
  return `https://pay.example/start?id=${id}&of=${shop.organization}&back=${back}&no=${no}&~`;
}

test('leads to the payment URL of the organization and mode, until it is removed', async () => {
  const { organization: id } = shop;
  const old = 'https://old.example/%7bCHECKOUT_SESSION_ID%7D';
  expect(await run('--mode', 'live', '--payment-url', old)).toMatchObject({
    id,
    payment_url: { test: null, live: old },
  });
  const shown = await run('--mode', 'live', '--payment-url', TEMPLATE);
  expect(shown).toMatchObject({ id, payment_url: { test: null, live: TEMPLATE } });
  const live = await shop.in('live', service);
  const led = await pay(live);
  expect(led.location).toBe(filled(led.id, led.path));
  const other = await pay(shop);
  expect(other.location).toBe(`${other.path}/pretend`);
  await run('--mode', 'test', '--payment-url', 'https://test.example/{CHECKOUT_SESSION_ID}');
  expect(await run('--mode', 'live', '--no-payment-url')).toMatchObject({
    payment_url: { live: null },
  });
  const nowhere = await pay(live);
  expect(nowhere.location).toBe(nowhere.path);
  expect((await pay(shop)).location).toMatch(/^https:\/\/test\.example\//);
});

test("refuses a payment URL that is not https or lacks the session's ID, and an unknown organization", async () => {
  const notHttps = 'payment_url.live must be an https URL, with placeholders after its host only.';
  const wrong = [
    [shop.organization, 'http://pay.example/{CHECKOUT_SESSION_ID}', notHttps],
    // The shell makes this of a variable that is not set.
    [shop.organization, '', notHttps],
    [
      shop.organization,
      'https://a:b@pay.example/{CHECKOUT_SESSION_ID}',
      'payment_url.live must not contain user information.',
    ],
    [
      shop.organization,
      'https://pay.example/?id=%7BSESSION_ID%7D',
      'payment_url.live must not contain %7BSESSION_ID%7D: it may contain {CHECKOUT_SESSION_ID}, {ORGANIZATION}, {RETURN_URL}, {CANCEL_URL} and no other braces.',
    ],
    [
      shop.organization,
      'https://pay.example',
      'payment_url.live must contain {CHECKOUT_SESSION_ID}.',
    ],
    [unknownId('org'), TEMPLATE, 'No such organization.'],
  ];
  for (const [organization = '', url = '', message] of wrong) {
    const { status, stderr } = await set(organization, '--mode', 'live', '--payment-url', url);
    expect([status, stderr]).toEqual([1, `${message}\n`]);
  }
});

test('shows the contact and the terms on a page, and refuses wrong ones', async () => {
  const { organization: id } = shop;
  const [contact, terms_url, privacy_url] = [
    'help@shop.example',
    'https://shop.example/terms',
    'https://a.example/?"',
  ];
  const { path } = await openPage(shop);
  const links = async () => {
    const { text } = await visit(service.url + path);
    const [, footer = ''] = /<footer>(.*)<\/footer>/.exec(text) ?? [];
    return [...footer.matchAll(/<a href="([^"]+)" target="_blank" rel="noopener">([^<]+)</g)].map(
      (found) => found.slice(1),
    );
  };
  expect(await links()).toEqual([]);
  const given = ['--contact', contact, '--terms-url', terms_url, '--privacy-url', privacy_url];
  expect(await run(...given)).toMatchObject({ id, contact, terms_url, privacy_url });
  expect(await links()).toEqual([
    [`mailto:${contact}`, contact],
    [terms_url, 'Terms'],
    ['https://a.example/?&quot;', 'Privacy'],
  ]);
  const url = 'https://shop.example/help';
  const changed = { id, contact: url, terms_url: null, privacy_url };
  expect(await run('--contact', url, '--no-terms-url')).toMatchObject(changed);
  expect(await links()).toEqual([
    [url, 'Contact'],
    ['https://a.example/?&quot;', 'Privacy'],
  ]);
  const addresses = {
    'kontakt@bücher.example': 'mailto:kontakt@b%C3%BCcher.example',
    "o'neil@shop.example": 'mailto:o&#39;neil@shop.example',
    'a/b?c=%d@shop.example': 'mailto:a%2Fb%3Fc%3D%25d@shop.example',
    '"a b"@shop.example': 'mailto:%22a%20b%22@shop.example',
    'help@[IPv6:2001:db8::1]': 'mailto:help@%5BIPv6%3A2001%3Adb8%3A%3A1%5D',
    '"a@b"@shop.example': 'mailto:%22a%40b%22@shop.example',
  };
  for (const [address, link] of Object.entries(addresses)) {
    expect(await run('--contact', address)).toMatchObject({ contact: address });
    expect((await links())[0]?.[0]).toBe(link);
  }
  const wrong = [
    ['--contact', 'a b@shop.example', 'contact must be an e-mail address'],
    ['--contact', 'javascript:alert(1)//@shop.example', 'contact must be an e-mail address'],
    ['--contact', 'http://shop.example/@help', 'contact must be an e-mail address'],
    ['--contact', `${'a'.repeat(64)}@${'b.'.repeat(100)}example`, 'contact must be'],
    [
      '--contact',
      'help@',
      'contact must be an e-mail address or an https URL of at most 500 characters.',
    ],
    ['--contact', `https://a.example/${'a'.repeat(500)}`, 'contact must be'],
    [
      '--terms-url',
      'http://shop.example',
      'terms_url must be an https URL of at most 500 characters.',
    ],
    ['--privacy-url', 'help@shop.example', 'privacy_url must be'],
    ['--contact', 'https://a:b@shop.example', 'contact must not contain user information.'],
    ['--privacy-url', 'https://:b@shop.example', 'privacy_url must not contain user information.'],
    ['--mode', 'test', 'Give --payment-url with its --mode, or another option.'],
    ['--name', '', 'A name has 1 to 255 characters.'],
    ['--refund-approval', 'none', 'Allowed choices are keys, all.'],
    ['--details-retention-days', '0', 'It must be a whole number from 1 to 3650.'],
    ['--payment-url', TEMPLATE, 'Give --payment-url with its --mode'],
  ];
  for (const [option = '', value = '', message] of wrong) {
    const { status, stderr } = await set(id, option, value);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message as string)]);
  }
});
