/** The test helpers do not exist for a live key. conformance/cases/sandbox.json has what they do in test mode. */
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { post, send } from '../support/client.js';
import { listResources, refusal } from '../support/envelope.js';
import { unknownId } from '../support/shop.js';

const HELPERS = '/v1/test_helpers';

const service = useService();
const shop = useShop(service);

test('a claimed refund fails with the number of its claim only', async () => {
  const refund = (await shop.propose((await shop.record()).body.id, 400)).body.id;
  await shop.claim();
  const fail = (body?: object) => shop.post(`${HELPERS}/refunds/${refund}/fail`, body);
  expect((await fail()).body.error.code).toBe('refund_claimed');
  expect((await fail({ claim: 1 })).body.status).toBe('failed');
});

const ids = (prefix: string) => [unknownId(`${prefix}_live`), 'malformed'];

test.each([
  ...ids('cs').map((id) => `checkout_sessions/${id}/pay`),
  ...['succeed', 'fail', 'return'].flatMap((action) => ids('re').map((id) => `refunds/${id}/${action}`)),
  'clock',
])('%s does not exist for a live key, whatever else is wrong', async (path) => {
  const key = shop.tenant.live;
  const unknown = await post(`${service.url}/v1/nothing`, { key, body: {} });
  for (const sent of [{ body: {} }, { body: '{', idempotencyKey: '' }, { headers: { 'content-type': 'text/xml' } }]) {
    const answer = await send('POST', `${service.url}${HELPERS}/${path}`, { key, ...sent });
    expect(answer.status).toBe(404);
    expect(answer.body.error).toEqual(unknown.body.error);
    expect(answer.body).toEqual(refusal('not_found', listResources('/v1/checkout_sessions'), []));
  }
});
