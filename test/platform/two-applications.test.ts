/**
 * Two applications with different modules run in one process, and neither knows what only the
 * modules of the other one declare.
 */
import { expect, test } from '@jest/globals';
import { MODULES } from '../../src/app.module.js';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { ACCESS, CHECKOUT, EVENTS, REFUNDS, SANDBOX } from '../../src/modules.js';
import { LAST_UUID } from '../../src/shared/id.js';
import type { Service } from '../kit/service.js';
import { useService } from '../kit/setup.js';
import type { Reply } from '../support/client.js';
import { Shop, unknownId } from '../support/shop.js';
import { createTenant } from '../support/tenants.js';

const small = useService({ declared: MODULES.filter((one) => one !== REFUNDS && one !== SANDBOX) });
const silent = useService({ declared: [ACCESS, CHECKOUT, EVENTS] });
const whole = useService();

/** This answer is not compared with the description, which describes all modules. */
async function ask(service: Service, path: string, body?: object) {
  const { test: key } = await createTenant(service);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': 'one',
  };
  const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const answer = await fetch(service.url + path, { headers, ...sent });
  const { error } = (await answer.json()) as Reply['body'];
  return {
    status: answer.status,
    code: error?.code,
    errors: error?.errors as { allowed: string[] }[] | undefined,
  };
}

const [REFUND, PAYMENT] = [unknownId('re_test'), unknownId('pay_test')];

test.each([
  ['a type of event', '/v1/events?type=refund.created', undefined, 'type'],
  ['a resource with events', `/v1/events?object=${REFUND}`, undefined, 'object'],
  [
    'types of events for an endpoint',
    '/v1/webhook_endpoints',
    { url: 'https://a.example/', events: ['payment.created', 'refund.created'] },
    'events[1]',
  ],
])('%s is known only to the application with its module', async (_, path, body, param) => {
  expect((await ask(whole, path, body)).status).toBeLessThan(300);
  const refused = await ask(small, path, body);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_param', errors: [{ param }] });
  const allowed = refused.errors?.flatMap((error) => error.allowed) ?? [];
  expect(allowed.includes('refund.created')).toBe(false);
  expect(allowed.includes('payment.created')).toBe(param !== 'object');
  // The check that the small application compiled is not used by the whole one.
  expect((await ask(whole, path, body)).status).toBeLessThan(300);
});

test('both applications accept what both know, and a route of a missing module is not found', async () => {
  for (const service of [whole, small]) {
    expect((await ask(service, `/v1/events?type=payment.created&object=${PAYMENT}`)).status).toBe(
      200,
    );
  }
  expect((await ask(whole, '/v1/refunds')).status).toBe(200);
  expect(await ask(small, '/v1/refunds')).toMatchObject({ status: 404, code: 'not_found' });
});

test('events are recorded and removed without the module that delivers them', async () => {
  // The statement of this application must not be taken for the statement of the other one.
  await (await Shop.open(whole)).createSession();
  const shop = await Shop.open(silent);
  await shop.createSession();
  const { data } = (await shop.get('/v1/events')).body;
  expect(data).toEqual([expect.objectContaining({ type: 'checkout.session.created' })]);
  const sweeper = silent.application.get(EventSweeper);
  await sweeper.remove(await sweeper.find(LAST_UUID, 'test', data[0].type, 1), LAST_UUID);
  expect((await shop.get('/v1/events')).body.data).toEqual([]);
});
