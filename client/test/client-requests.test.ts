/** These tests look at the requests that the client sends. */
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { clientOf, done, json, refused, thrownBy } from '../../test/support/answered-client.js';
import { SMALLEST } from '../../test/support/client.js';
import { TillgateError } from '../src/index.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each([
  ['no options', undefined, UUID],
  ['an undefined key', { idempotencyKey: undefined }, UUID],
  ['a key of its own', { idempotencyKey: 'order-1' }, /^order-1$/],
])('sends a write with a key when the caller gives %s', async (_, options, key) => {
  const { tillgate, sent } = clientOf([done]);
  await tillgate.checkoutSessions.create(SMALLEST, options);
  expect(sent.map((each) => each.key)).toEqual([expect.stringMatching(key)]);
});

test('shows the idempotency key in the error of a write, and none in that of a read', async () => {
  const { tillgate } = clientOf([refused(404, 'not_found', 'list_resources')]);
  const written = await thrownBy(
    tillgate.refunds.cancel('re_test_1', { idempotencyKey: 'cancel-1' }),
  );
  expect(written).toBeInstanceOf(TillgateError);
  expect(written).toMatchObject({ idempotencyKey: 'cancel-1' });
  expect(await thrownBy(tillgate.refunds.retrieve('re_test_1'))).toMatchObject({
    idempotencyKey: undefined,
  });
});

test('reads a page only when it is needed', async () => {
  const page = (ids: string[], next_cursor: string | null) =>
    json(200, { data: ids.map((id) => ({ id })), next_cursor });
  const { tillgate, sent } = clientOf([
    page(['1', '2'], '2'),
    page(['3', '4'], '4'),
    page(['5'], null),
  ]);
  for await (const { id } of tillgate.checkoutSessions.list({
    limit: 2,
    from: undefined as never,
  })) {
    if (id === '3') break;
  }
  const list = 'https://pay.example/v1/checkout_sessions?limit=2';
  expect(sent.map(({ url }) => url)).toEqual([list, `${list}&cursor=2`]);
});

test('ends a list after a response that is no list', async () => {
  const { tillgate, sent } = clientOf([json(200, {})]);
  for await (const page of tillgate.checkoutSessions.list().pages()) expect(page).toEqual({});
  expect(sent).toHaveLength(1);
});

test.each(['https://example.com/pay', 'https://example.com/pay/'])(
  'keeps the path of the base URL %s',
  async (baseUrl) => {
    const { tillgate, sent } = clientOf([done], { baseUrl });
    await tillgate.refunds.cancel('re_test_/../1');
    expect(sent.map(({ url }) => url)).toEqual([
      'https://example.com/pay/v1/refunds/re_test_%2F..%2F1/cancel',
    ]);
  },
);

test('shows no key when the client is printed', () => {
  const { tillgate } = clientOf([done], { key: 'sk_test_secret' });
  expect(inspect(tillgate, { depth: 9 }) + JSON.stringify(tillgate)).not.toContain('secret');
});
