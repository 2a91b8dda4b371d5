/** Bounds that need a clock, both modes or a body too large to write down. The kit has the rest: conformance/cases/fields.json. */
import { beforeAll, expect, test } from '@jest/globals';
import { type Reply, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectInvalid } from '../support/envelope.js';
import { bodyWith } from '../support/sessions.js';
import { useService } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const URLS = [
  'success_url',
  'cancel_url',
  'return_url',
  'notify_url',
  'line_items[0].price_data.product_data.images[0]',
];

const clock = new TestClock();
const now = Math.floor(clock.now() / 1000);
const service = useService({ clock });
let shop: Shop;

beforeAll(async () => {
  shop = await Shop.open(service);
});

const create = (param: string, value: unknown): Promise<Reply> => shop.createSession(bodyWith(param, value));
const lines = (count: number) => Array.from({ length: count }, () => SMALLEST.line_items[0]);
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, '']));

test.each<[param: string, inside: unknown, outside: unknown, code: string]>([
  ['line_items', lines(100), lines(101), 'too_long'],
  ['metadata', keys(50), keys(51), 'too_long'],
  // Five minutes and 24 hours, with a minute of grace for the caller's clock.
  ['expires_at', now + 240, now + 239, 'too_small'],
  ['expires_at', now + 86_460, now + 86_461, 'too_large'],
])('%s is accepted up to its bound and refused beyond it (%#)', async (param, inside, outside, code) => {
  expect((await create(param, inside)).status).toBe(201);
  expectInvalid(await create(param, outside), [param, code]);
});

test.each([
  [
    'https://shop.example:25/',
    'notify_url must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up.',
  ],
  [
    'http://shop.example/',
    'notify_url must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host.',
  ],
])('the message says why webhooks cannot be sent to %s', async (url, message) => {
  expect((await create('notify_url', url)).body.error.errors[0].message).toBe(message);
});

test.each(URLS)('%s may be http to localhost in test mode only', async (param) => {
  const live = await Shop.open(service, { mode: 'live' });
  const body = bodyWith(param, 'http://localhost:8080/x');
  expect((await shop.createSession(body)).status).toBe(201);
  expectInvalid(await live.createSession(body), [param, 'invalid_format']);
});
