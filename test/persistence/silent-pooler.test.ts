/**
 * These poolers do what real ones do at times: they have no server connection for a client, or they
 * lose prepared statements.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assertReady } from '../../src/operator/migrate/migrate.js';
import { type Service, startService } from '../kit/service.js';
import { post, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { startPooler } from '../support/sockets.js';
import { createTenant, type Tenant } from '../support/tenants.js';

/** In PostgreSQL's protocol, a query that is not prepared begins with this byte. */
const QUERY = 'Q'.charCodeAt(0);
/** A run of a prepared statement begins with this byte. */
const BIND = 'B'.charCodeAt(0);
const FORGET = Buffer.from('Q\0\0\0\x13DEALLOCATE ALL\0');
const FORGOTTEN = Buffer.from('C\0\0\0\x13DEALLOCATE ALL\0Z\0\0\0\x05I');

let direct: Service;
let service: Service;
let tenant: Tenant;
let pooler: Awaited<ReturnType<typeof startPooler>>;
let isKeptWaiting = false;
let isForgetful = false;

beforeAll(async () => {
  direct = await startService();
  tenant = await createTenant(direct);
  pooler = await startPooler(direct.databaseUrl, () => {
    let isForgotten = false;
    return {
      toServer: (message, server) => {
        if (isForgetful && message[0] === BIND) isForgotten = server.write(FORGET);
        return isKeptWaiting && message[0] === QUERY ? undefined : message;
      },
      toClient: (answer) => {
        const kept = isForgotten ? answer.subarray(FORGOTTEN.length) : answer;
        isForgotten = false;
        return kept;
      },
    };
  });
  service = await startService({ databaseUrl: pooler.url });
});

afterAll(async () => {
  await service.close();
  pooler.close();
  await direct.close();
});

const create = () =>
  post(`${service.url}/v1/checkout_sessions`, { key: tenant.test, body: SMALLEST });

test('a connection whose first query is never answered is closed, and its request is answered 503', async () => {
  isKeptWaiting = true;
  await direct.sql.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tillgate'`,
  );
  const nextStep = { type: 'retry', path: '/v1/checkout_sessions', method: 'POST' };
  // The first request may be the one that finds its connection cut.
  expectError(await create(), { status: 503, code: 'service_unavailable', nextStep });
  expectError(await create(), { status: 503, code: 'service_unavailable', nextStep });
  isKeptWaiting = false;
  let reply = await create();
  while (reply.status === 503) reply = await create();
  expect(reply.status).toBe(201);
});

test('a process does not start behind a pooler that loses prepared statements', async () => {
  await assertReady(pooler.url);
  isForgetful = true;
  await expect(assertReady(pooler.url)).rejects.toThrow(
    'The pooler before PostgreSQL loses prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements = 200.',
  );
  isForgetful = false;
});
