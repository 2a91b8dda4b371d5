/** The client verifies signatures of the reference implementation. */
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../src/index.js';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const body = JSON.stringify({ object: 'event', id: 'evt_1' });
const signed = (by: string[], at = new Date()) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': by.map((each) => new Webhook(each).sign('evt_1', at, body)).join(' '),
});
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test.each([
  ['one signature', signed([secret]), secret],
  ['the second of two signatures', signed([other, secret]), secret],
  ['the second of two secrets', signed([secret]), [other, secret]],
  ['headers as fetch has them', new Headers(signed([secret])), secret],
  ['a signature that is four minutes old', signed([secret], minutesFromNow(-4)), secret],
  ['a signature of a newer version beside it', beside('v2,abc', signed([secret])), secret],
  ['a signature that is not base64 beside it', beside('v1,!', signed([secret])), secret],
  ['header names in capitals', renamed((name) => name.toUpperCase()), secret],
  [
    'header names as a gateway writes them',
    renamed((name) => name.replaceAll(/\b\w/g, (at) => at.toUpperCase())),
    secret,
  ],
  ['headers as lists with one entry', Object.fromEntries(listed(signed([secret]))), secret],
  ['headers as a Map', new Map(Object.entries(renamed((name) => name.toUpperCase()))), secret],
  ['headers as a Map of lists', new Map(listed(signed([secret]))), secret],
  [
    'headers as pairs, beside other headers',
    [['Host', 'a'], ...Object.entries(signed([secret]))] as [string, string][],
    secret,
  ],
  [
    'headers that have each value twice',
    { ...signed([secret]), ...renamed((name) => name.toUpperCase()) },
    secret,
  ],
] as const)('accepts %s', async (_, headers, secrets) => {
  expect(await verifyWebhook({ body, headers, secret: secrets })).toEqual(JSON.parse(body));
});

const NO_MATCH = 'No signature of the webhook matches.';
const NOT_RECENT = 'The webhook is not of the last five minutes.';
const TWO_IDS = 'The header webhook-id has several values.';

const refusal = (message: string) => ({ name: 'WebhookVerificationError', message });

test.each([
  ['a signature by another secret', signed([other]), NO_MATCH],
  ['a signature that is six minutes old', signed([secret], minutesFromNow(-6)), NOT_RECENT],
  ['a signature from six minutes ahead', signed([secret], minutesFromNow(6)), NOT_RECENT],
  ['another id', { ...signed([secret]), 'webhook-id': 'evt_2' }, NO_MATCH],
  [
    'no signature',
    { ...signed([secret]), 'webhook-signature': undefined },
    'The header webhook-signature is missing.',
  ],
  ['a malformed time', { ...signed([secret]), 'webhook-timestamp': 'NaN' }, NOT_RECENT],
  [
    'a signature that is not base64',
    { ...signed([secret]), 'webhook-signature': 'v1,!' },
    NO_MATCH,
  ],
  [
    'an empty list as a header',
    { ...signed([secret]), 'webhook-id': [] },
    'The header webhook-id is missing.',
  ],
  ['two ids', { ...signed([secret]), 'webhook-id': ['evt_1', 'evt_2'] }, TWO_IDS],
  [
    'two ids under names in different letter case',
    { ...signed([secret]), 'Webhook-Id': 'evt_2' },
    TWO_IDS,
  ],
])('refuses a webhook with %s', async (_, headers, message) => {
  await expect(verifyWebhook({ body, headers, secret })).rejects.toMatchObject(refusal(message));
});

test('refuses a webhook with another body', async () => {
  const webhook = { body: `${body} `, headers: signed([secret]), secret };
  await expect(verifyWebhook(webhook)).rejects.toMatchObject(refusal(NO_MATCH));
});

test.each([
  ['empty', ''],
  ['only a prefix', 'whsec_'],
  ['not base64', 'whsec_!'],
])('throws a TypeError for a secret that is %s', async (_, by) => {
  await expect(
    verifyWebhook({ body, headers: signed([secret]), secret: by }),
  ).rejects.toMatchObject({
    name: 'TypeError',
    message: 'A webhook secret is whsec_ and base64.',
  });
});

test('accepts nothing without a secret', async () => {
  const webhook = { body, headers: signed([secret]), secret: [] };
  await expect(verifyWebhook(webhook)).rejects.toMatchObject(refusal(NO_MATCH));
});

function renamed(to: (name: string) => string) {
  return Object.fromEntries(
    Object.entries(signed([secret])).map(([name, value]) => [to(name), value]),
  );
}

function listed(headers: ReturnType<typeof signed>): [string, string[]][] {
  return Object.entries(headers).map(([name, value]) => [name, [value]]);
}

function beside(signature: string, headers: ReturnType<typeof signed>) {
  return { ...headers, 'webhook-signature': `${signature} ${headers['webhook-signature']}` };
}
