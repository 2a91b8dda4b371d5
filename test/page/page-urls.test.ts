/** A URL that was accepted works on the page, and a URL that would not work is refused. */
import { describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { openPage, stateIn, submit, visit } from '../support/page.js';

const PUBLIC_URL = 'https://pay.example';
const FIELDS = ['success_url', 'cancel_url', 'return_url', 'payment_url'] as const;
type Field = (typeof FIELDS)[number];

const service = useService({ config: { publicUrl: PUBLIC_URL } });
const shop = useShop(service);

const setPaymentUrl = (id: string, payment_url: string) =>
  shop.ledgerPost(`/ledger/v1/checkout_sessions/${id}/payment_url`, {
    organization: shop.organization,
    payment_url,
  });

/** Sends the URL in the field. */
async function store(field: Field, url: string) {
  if (field !== 'payment_url')
    return shop.createSession({ ...SMALLEST, ui_mode: 'embedded', [field]: url });
  return setPaymentUrl((await openPage(shop)).id, url);
}

describe.each(FIELDS)('the field %s', (field) => {
  const stored = field === 'payment_url' ? 200 : 201;

  test.each([
    'https://{RETURN_URL}/',
    'https://{RETURN_URL}/evil.example/x',
    'https://{CHECKOUT_SESSION_ID}.shop.example/',
    'https://{CHECKOUT_SESSION_ID}@shop.example/',
    'https://shop.example:{CHECKOUT_SESSION_ID}/',
    'https://shop.example{ORGANIZATION}?x',
  ])('refuses %s', async (url) => {
    expectError(await store(field, url), {
      status: 400,
      code: 'invalid_param',
      errors: [[field, 'invalid_format']],
    });
  });

  test.each([
    ['{SESSION_ID}', '{SESSION_ID}'],
    ['%7BSESSION_ID%7D', '%7BSESSION_ID%7D'],
    ['{checkout_session_id}', '{checkout_session_id}'],
    ['%7Bcheckout_session_id%7d', '%7Bcheckout_session_id%7d'],
    ['{{CHECKOUT_SESSION_ID}}', '{}'],
    ['${CHECKOUT_SESSION_ID', '{CHECKOUT_SESSION_ID'],
    ['%7BCHECKOUT_SESSION_ID}', '%7BCHECKOUT_SESSION_ID}'],
    ['{CHECKOUT_SESSION_ID}}', '}'],
    ['%7Bsession_id%7D', '%7Bsession_id%7D'],
    ['$%7bsession.id%7d', '%7bsession.id%7d'],
    ['%7Bsession-id%7D', '%7Bsession-id%7D'],
    ['%7B%7B%20session_id%20%7D%7D', '%7B%20session_id%20%7D'],
    ['%7B%22a%22:%22%7Bsession_id%7D%22%7D', '%7Bsession_id%7D'],
    ['%7B%7BCHECKOUT_SESSION_ID%7D%7D', '%7B%7BCHECKOUT_SESSION_ID%7D%7D'],
    ['{CHECKOUT SESSION}'.replace(' ', '%20'), '{CHECKOUT'],
    ['{}', '{}'],
  ])('refuses the braces of %s by name, wherever they are', async (braces, named) => {
    for (const at of ['/', '/?a=', '/#', '?']) {
      const refused = await store(field, `https://shop.example${at}${braces}`);
      expectError(refused, {
        status: 400,
        code: 'invalid_param',
        errors: [[field, 'invalid_format']],
      });
      expect(refused.body.error.errors[0].message).toContain(`must not contain ${named}`);
      expect(refused.body.error.errors[0].message).toContain(
        'it may contain {CHECKOUT_SESSION_ID}',
      );
    }
  });

  test.each([
    '%7B%22o%22%3A%2247%22%7D',
    '%7b%22o%22:%7b%22n%22:1%7d%7d',
    '%7B%7D',
    '%7B%22id%22:%22{CHECKOUT_SESSION_ID}%22%7D',
    '%7B%22id%22:%22%7BCHECKOUT_SESSION_ID%7D%22%7D',
    '{CHECKOUT_SESSION_ID}%7d',
    '%7Bf2504e00-4f89-41d3-9a0c-0305e82c3301%7D',
    '%7Bo:1%7D',
  ])('takes the encoded braces of %s, which stand around no name', async (state) => {
    const taken = await store(field, `https://shop.example/?state=${state}`);
    expect([taken.status, taken.body.error]).toEqual([stored, undefined]);
  });

  test('refuses a URL whose Location would be too long', async () => {
    // Each letter is nine characters of the Location.
    const url = (letters: number) => `https://shop.example/${'語'.repeat(letters)}`;
    expect((await store(field, url(886))).status).toBe(stored);
    const tooLong = { status: 400, code: 'invalid_param', errors: [[field, 'too_long']] } as const;
    expectError(await store(field, url(887)), tooLong);
    expect(
      (await store(field, `https://shop.example/${'{CHECKOUT_SESSION_ID}'.repeat(96)}`)).status,
    ).toBe(stored);
    if (field !== 'payment_url') return;
    expectError(await store(field, `https://shop.example/${'{CANCEL_URL}'.repeat(16)}`), tooLong);
  });
});

test.each([
  ['{', '}'],
  ['%7B', '%7D'],
  ['%7b', '%7d'],
  ['%7b', '%7D'],
])('replaces placeholders after the host between %s and %s', async (opening, closing) => {
  const of = (name: string) => opening + name + closing;
  const own = of('CHECKOUT_SESSION_ID');
  const { id, path } = await openPage(shop, {
    ...SMALLEST,
    success_url: `https://shop.example/${own}?%7e&${own}#${own}`,
    cancel_url: `https://shop.example?${own}`,
  });
  expect((await visit(service.url + path)).text).toContain(`href="https://shop.example/?${id}"`);
  const page = encodeURIComponent(PUBLIC_URL + path);
  await setPaymentUrl(
    id,
    `https://psp.example/${own}?${['RETURN_URL', 'ORGANIZATION', 'CANCEL_URL'].map(of).join('&')}#${own}`,
  );
  expect((await submit(`${service.url}${path}/pay`)).location).toBe(
    `https://psp.example/${id}?${page}%2Freturn&${shop.organization}&${page}%2Fcancel#${id}`,
  );
  await shop.record({ amount: 1000, checkout_session: id });
  expect((await visit(`${service.url}${path}/return`)).location).toBe(
    `https://shop.example/${id}?%7e&${id}#${id}`,
  );
});

test('returns JSON in a return address as it was sent', async () => {
  const state = '%7B%22o%22%3A%2247%22,%22of%22:%22%7BCHECKOUT_SESSION_ID%7D%22%7D';
  const { id, path } = await openPage(shop, {
    ...SMALLEST,
    success_url: `https://shop.example/?state=${state}`,
  });
  await shop.record({ amount: 1000, checkout_session: id });
  expect((await visit(`${service.url}${path}/return`)).location).toBe(
    `https://shop.example/?state=%7B%22o%22%3A%2247%22,%22of%22:%22${id}%22%7D`,
  );
});

test('lets forms lead to every host that was accepted', async () => {
  const policies: Record<string, string> = {
    'https://[::1]:8443/': 'https:',
    'https://a_b.example/': 'https:',
    'https://a;b.example/': 'https:',
    'https://Müller.example:8443/': 'https://xn--mller-kva.example:8443',
  };
  for (const [url, source] of Object.entries(policies)) {
    const { path } = await openPage(shop, { ...SMALLEST, success_url: url });
    const policy = (await visit(service.url + path)).headers.get('content-security-policy');
    expect(policy).toContain(`form-action 'self' ${source};`);
  }
});

test('shows every page though it has URLs that were stored before they were checked', async () => {
  const { id, path } = await openPage(shop, SMALLEST);
  const store = (url: string) =>
    service.sql.query('UPDATE checkout_sessions SET cancel_url = $2 WHERE id = $1', [
      uuidOf(id),
      url,
    ]);
  for (const url of ['https://user:secret@shop.example/', 'https://shop.example/?{OTHER}']) {
    await store(url);
    expect((await visit(service.url + path)).text).toContain(`href="${url}"`);
  }
  const urls = ['https://{RETURN_URL}/', `https://shop.example/${'語'.repeat(2000)}`];
  for (const url of urls) {
    await service.sql.query(
      'UPDATE checkout_sessions SET success_url = $2, cancel_url = $2, return_url = $2 WHERE id = $1',
      [uuidOf(id), url],
    );
    await service.sql.query(
      `INSERT INTO checkout_pages (organization_id, mode, session_id, payment_url) VALUES ($1, 'test', $2, $3)
       ON CONFLICT ON CONSTRAINT checkout_pages_pkey DO UPDATE SET payment_url = $3`,
      [uuidOf(shop.organization), uuidOf(id), url],
    );
    for (const rest of ['', '/cancel', '/return', '/pretend']) {
      expect((await visit(service.url + path + rest)).status).toBe(rest === '/pretend' ? 404 : 200);
    }
    expect((await visit(service.url + path)).text).toContain('cannot be paid here');
    expect((await submit(`${service.url}${path}/pay`)).location).toBe(path);
  }
  await shop.record({ amount: 1000, checkout_session: id });
  const paid = await visit(`${service.url}${path}/return`);
  expect([paid.status, stateIn(paid)]).toEqual([200, 'paid']);
});
