/** A pooler that admits a client and then has no server connection for it, so that its first query waits. */
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { post, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';

/** The first byte of a query that is not prepared, in PostgreSQL's protocol. */
const QUERY = 'Q'.charCodeAt(0);
/** Longer than the eight seconds of silence that are allowed, on a busy machine too. */
const PATIENCE_MS = 60_000;

let direct: Service;
let service: Service;
let tenant: Tenant;
let pooler: Server;
let isKeptWaiting = false;

beforeAll(async () => {
  direct = await startService();
  tenant = await createTenant(direct);
  const { hostname, port } = new URL(direct.databaseUrl);
  pooler = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('data', (message) => (isKeptWaiting && message[0] === QUERY ? undefined : server.write(message)));
    server.pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, server].map((one) => one.destroy()));
    }
  });
  await new Promise<void>((listening) => pooler.listen(0, '127.0.0.1', listening));
  const url = new URL(direct.databaseUrl);
  url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
  service = await startService({ databaseUrl: url.href });
});

afterAll(async () => {
  await service.close();
  pooler.close();
  await direct.close();
});

const create = () => post(`${service.url}/v1/checkout_sessions`, { key: tenant.test, body: SMALLEST });

test(
  'a connection whose first query is never answered is given up, and the request with it',
  async () => {
    isKeptWaiting = true;
    await direct.sql.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tillgate'`,
    );
    const nextStep = { type: 'retry', path: '/v1/checkout_sessions', method: 'POST' };
    // A connection that has just been cut may be found out by a request of its own.
    expectError(await create(), { status: 503, code: 'service_unavailable', nextStep });
    expectError(await create(), { status: 503, code: 'service_unavailable', nextStep });
    isKeptWaiting = false;
    let reply = await create();
    while (reply.status === 503) reply = await create();
    expect(reply.status).toBe(201);
  },
  PATIENCE_MS,
);
