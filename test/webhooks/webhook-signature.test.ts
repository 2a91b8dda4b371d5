import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../../src/modules/access/domain/webhook-secret.js';
import { headersOf } from '../../src/modules/webhooks/adapters/delivery/signature.js';

const event = (id: string) =>
  ({ id, type: 'webhook.test', mode: 'test', sequence: 1, data: '{}', reason: null }) as const;

/** The specification's repository has this example, with which its libraries are tested. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  payload: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('signs the example of the specification as it does', () => {
  const { secret, id, timestamp, payload, signature } = VECTOR;
  const message = {
    url: '',
    event: event(id),
    secrets: [secret],
    at: Number(timestamp) * 1000 + 999,
  };
  expect(headersOf(message, payload)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  });
});

test('signs with each secret, and the library accepts any of them', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const payload = '{"name":"Bücher – 本"}';
  const headers = headersOf({ url: '', event: event('evt_1'), secrets, at: Date.now() }, payload);
  for (const secret of secrets)
    expect(new Webhook(secret).verify(payload, headers)).toEqual(JSON.parse(payload));
  expect(() => new Webhook(newWebhookSecret()).verify(payload, headers)).toThrow(
    'No matching signature',
  );
});
