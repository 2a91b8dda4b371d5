import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';

let service: Service;
let tenant: Tenant;
let sessions: string;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
  sessions = `${service.url}/v1/checkout_sessions`;
});

afterAll(() => service.close());

test('creates a session and reads the same one', async () => {
  const created = await post(sessions, { key: tenant.test, body: SMALLEST });
  expect(created.status).toBe(201);
  const read = await get(`${sessions}/${created.body.id}`, { key: tenant.test });
  expect(read.body).toEqual(created.body);
});
