/**
 * The client throws a TypeError at once for a value that it cannot send. It neither changes the
 * value nor takes it for a fault of the network.
 */
import { expect, test } from '@jest/globals';
import { clientOf, done } from '../../test/support/answered-client.js';
import { type ClientOptions, Tillgate } from '../src/index.js';
import { TillgateOperator } from '../src/operator.js';

/** The values have types that TypeScript refuses, because programs in JavaScript send them. */
const any = (value: unknown) => value as never;
const half = '\ud83e';

async function sentOf(send: (tillgate: Tillgate) => unknown) {
  const { tillgate, sent } = clientOf([done]);
  const error = await (async () => send(tillgate))().catch((thrown: unknown) => thrown);
  return { error, sent };
}

const OPTIONS: readonly [
  message: string,
  options: Partial<Record<keyof ClientOptions, unknown>>,
][] = [
  ['Invalid URL', { baseUrl: 'pay.example' }],
  ['Invalid URL', { baseUrl: '' }],
  ['baseUrl must begin with', { baseUrl: 'localhost:5300' }],
  ['baseUrl must begin with', { baseUrl: 'https://a:b@pay.example' }],
  ['baseUrl must begin with', { baseUrl: 'https://pay.example?a' }],
  ['baseUrl must begin with', { baseUrl: 'https://pay.example?' }],
  ['baseUrl must begin with', { baseUrl: 'https://pay.example#' }],
  ['baseUrl must begin with', { baseUrl: 'https://pay.example\n' }],
  ['key must be one key', { key: 'sk_test_…' }],
  ['key must be one key', { key: undefined }],
  ['key must be one key', { key: '' }],
  ['maxRetries must be', { maxRetries: Number.NaN }],
  ['maxRetries must be', { maxRetries: -1 }],
  ['maxRetries must be', { maxRetries: '3' }],
  ['timeoutMs must be', { timeoutMs: Number.NaN }],
  ['timeoutMs must be', { timeoutMs: 0 }],
  ['timeoutMs must be', { timeoutMs: Number.POSITIVE_INFINITY }],
  ['timeoutMs must be', { timeoutMs: 2 ** 31 }],
  ['fetch must be a function', { fetch: 'fetch' }],
];

test.each(OPTIONS)('a client refuses an option, and says %j, for %j', (message, options) => {
  const make = () => new Tillgate(any({ baseUrl: 'https://a.example', key: 'sk', ...options }));
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

test.each(['rk_test_one\nrk_test_two', ' rk_test_secret', 'rk_test_secret\n', 'rk_test_sécret'])(
  'refuses the key %j without its text in the message',
  (key) => {
    expect(() => clientOf([done], { key })).toThrow(
      'key must be one key, of visible ASCII characters without a line break.',
    );
  },
);

const circular: Record<string, unknown> = {};
circular.self = circular;

const BODIES: readonly [what: string, message: string, body: object][] = [
  ['NaN', 'amount cannot be sent', { amount: Number.NaN }],
  ['an infinite number', 'amount cannot be sent', { amount: Number.NEGATIVE_INFINITY }],
  ['a BigInt', 'serialize a BigInt', { amount: 1n }],
  ['an invalid date', 'expires_at cannot be sent', { expires_at: new Date(Number.NaN) }],
  ['half of a character', 'description cannot be sent', { description: half }],
  ['half of a character in a name', 'cannot be sent', { metadata: { [half]: 'x' } }],
  ['a list with an undefined item', '1 cannot be sent', { line_items: [{}, undefined] }],
  ['a list with a gap', '0 cannot be sent', { line_items: new Array(1) }],
  ['a function', 'description cannot be sent', { description: () => 'late' }],
  ['a symbol', 'description cannot be sent', { description: Symbol('late') }],
  ['a Map', 'metadata cannot be sent', { metadata: new Map([['a', 'b']]) }],
  ['a Set', 'images cannot be sent', { images: new Set(['a']) }],
  ['a circle', 'circular structure', { metadata: circular }],
];

test.each(BODIES)('sends no body with %s', async (_, message, body) => {
  const { error, sent } = await sentOf((tillgate) => tillgate.refunds.propose(any(body)));
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(message);
  expect(sent).toEqual([]);
});

test('sends what JSON holds as JSON.stringify does', async () => {
  const body = {
    amount: 1,
    metadata: { name: 'Зоя 🦊', missing: undefined },
    url: new URL('https://a.example/'),
    at: new Date(0),
    list: [null, true, [0.5]],
    none: null,
  };
  const { sent } = await sentOf((tillgate) => tillgate.refunds.propose(any(body)));
  expect(sent.map((each) => each.body)).toEqual([JSON.stringify(body)]);
});

const NO_TEXTS = [null, 12, {}, [], Symbol('key')];
const NO_HEADERS = ['', ' ', 'a ', ' a', '\ta', 'a\nb', 'Ana\r\nBen', 'a\u0000', '\x7f'];

test.each([...NO_TEXTS, ...NO_HEADERS, '№ 1', half])(
  'sends no idempotency key %p',
  async (idempotencyKey) => {
    const options = any({ idempotencyKey });
    const { error, sent } = await sentOf(({ refunds }) => refunds.cancel('re_test_1', options));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('idempotencyKey cannot be sent');
    expect(sent).toEqual([]);
  },
);

test.each([...NO_TEXTS, ...NO_HEADERS, half])('sends no actor %p', async (actor) => {
  const options = any({ actor });
  const { error, sent } = await sentOf(({ refunds }) => refunds.cancel('re_test_1', options));
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain('actor cannot be sent');
  expect(sent).toEqual([]);
});

test.each(['José', '李小龍', 'Зоя 🦊', 'Jose\u0301 à la carte'])(
  'sends the actor %s as UTF-8',
  async (actor) => {
    const { sent } = await sentOf(({ refunds }) => refunds.cancel('re_test_1', { actor }));
    const [{ actor: header = '' } = {}] = sent;
    expect(Buffer.from(header, 'latin1').toString()).toBe(actor);
  },
);

const BY_ID: readonly [what: string, send: (tillgate: Tillgate, id: never) => unknown][] = [
  ['reads', ({ refunds }, id) => refunds.retrieve(id)],
  ['acts', ({ refunds }, id) => refunds.cancel(id)],
  ['reads a part', ({ checkoutSessions }, id) => checkoutSessions.page(id)],
  ['changes', ({ webhookEndpoints }, id) => webhookEndpoints.change(id, {})],
  ['deletes', ({ webhookEndpoints }, id) => webhookEndpoints.delete(id)],
];

test.each(BY_ID)('a call that %s sends no ID that would name something else', async (_, send) => {
  for (const id of ['', '.', '..', half, undefined, null, 5, {}]) {
    const { error, sent } = await sentOf((tillgate) => send(tillgate, any(id)));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('The ID cannot be sent');
    expect(sent).toEqual([]);
  }
});

test('lists no keys of an organization without an ID', () => {
  const { apiKeys } = new TillgateOperator({ baseUrl: 'https://a.example', key: 'ok' });
  expect(() => apiKeys.list('..')).toThrow('The ID cannot be sent');
});

test.each([null, Number.NaN, Number.POSITIVE_INFINITY, 10n, half, ['a'], {}, new Date(0), true])(
  'sends no filter %p',
  async (from) => {
    const { error, sent } = await sentOf(({ refunds }) =>
      refunds.list(any({ from })).pages().next(),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('from cannot be sent');
    expect(sent).toEqual([]);
  },
);

test('says that fetch blocks a port, and does not try again', async () => {
  const tillgate = new Tillgate({ baseUrl: 'http://127.0.0.1:6000', key: 'sk_test_x' });
  await expect(tillgate.refunds.retrieve('re_test_1')).rejects.toMatchObject({
    name: 'TypeError',
    message: 'baseUrl cannot be called: fetch blocks its port.',
  });
});
