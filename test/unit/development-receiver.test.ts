import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { receiveWebhooks } from '../../src/cli/development-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test('verifies what it receives and says a line about each', async () => {
  const lines: string[] = [];
  const receiver = await receiveWebhooks({ port: 0, webhook: new Webhook(SECRET), say: (line) => lines.push(line) });
  const body = JSON.stringify({ type: 'refund.created', sequence: 1, data: { object: { id: 're_test_1' } } });
  const send = async (secret: string) => {
    const now = new Date();
    const response = await fetch(`http://127.0.0.1:${receiver.port}/`, {
      method: 'POST',
      body,
      headers: {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
      },
    });
    return response.status;
  };
  expect([await send(SECRET), await send(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)]).toEqual([204, 400]);
  await receiver.close();
  expect(lines).toEqual([
    'verified evt_1 refund.created re_test_1 sequence 1',
    'refused evt_1: No matching signature found',
  ]);
});
