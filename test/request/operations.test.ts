import { describe, expect, test } from '@jest/globals';
import { startService } from '../kit/service.js';
import { useOther, useService } from '../kit/setup.js';
import { get, type Reply } from '../support/client.js';
import { expectError } from '../support/envelope.js';

const TOKEN = 'scrape-4711';

const service = useService({ config: { metricsToken: TOKEN } });
const other = useOther(service);

const ready = ({ url } = service): Promise<Reply> => get(`${url}/readyz`, {});

function expectNotReady(reply: Reply): void {
  expectError(reply, {
    status: 503,
    code: 'service_unavailable',
    nextStep: { type: 'retry', path: '/readyz', method: 'GET' },
  });
}

test('a process is alive and ready if its database is migrated and takes writes', async () => {
  for (const path of ['/livez', '/readyz']) {
    const { status, body } = await get(service.url + path, {});
    expect([path, status, body]).toEqual([path, 200, { status: 'ok' }]);
  }
});

describe('a process', () => {
  test('is not ready while its schema is behind', async () => {
    const newest =
      'DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations) RETURNING timestamp, name';
    const [row] = (await service.sql.query(newest)).rows;
    try {
      expectNotReady(await ready());
    } finally {
      await service.sql.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [
        row.timestamp,
        row.name,
      ]);
    }
    expect((await ready()).status).toBe(200);
  });

  test('is not ready on a read-only database', async () => {
    const [{ name }] = (await service.sql.query('SELECT current_database() AS name')).rows;
    await service.sql.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    const late = await startService({ databaseUrl: service.databaseUrl });
    try {
      expectNotReady(await ready(late));
      expect((await get(`${late.url}/livez`, {})).status).toBe(200);
    } finally {
      await late.close();
      await service.sql.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
    }
  });
});

describe('metrics', () => {
  const scrape = (authorization?: string, { url } = service) =>
    get(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

  test('are served to a scraper with the token', async () => {
    const { status, text } = await scrape(`Bearer ${TOKEN}`);
    expect(status).toBe(200);
    expect(text).toContain('tillgate_http_request_duration_seconds_count');
  });

  test.each([
    ['no token', undefined],
    ['another token', 'Bearer scrape-4712'],
    ['the beginning of the token', 'Bearer scrape-471'],
    ['another scheme', `Token ${TOKEN}`],
  ])('are refused with %s', async (_, authorization) => {
    const reply = await scrape(authorization);
    const errors = [['Authorization', 'invalid_value']] as const;
    const nextStep = { type: 'authenticate', path: '/metrics', method: 'GET' };
    expectError(reply, { status: 401, code: 'invalid_api_key', errors, nextStep });
    expect(reply.text).not.toContain('tillgate_http');
  });

  test('are open without a configured token', async () => {
    expect((await scrape(undefined, other)).status).toBe(200);
  });
});
