/** The description is served as it is committed, to anybody, and describes the routes that there are. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TillgateAdapter } from '../../src/platform/http/adapter.js';
import { get } from '../support/client.js';
import { type Service, startService } from '../support/service.js';

const COMMITTED = readFileSync('docs/openapi.json', 'utf8');

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.close());

test('GET /openapi.json needs no key, may be cached, and is the committed document', async () => {
  const { status, headers, text } = await get(`${service.url}/openapi.json`, {});
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'public, max-age=300',
  ]);
  expect(text).toBe(COMMITTED);
});

test('every operation described is a route of the service', () => {
  const adapter = service.application.getHttpAdapter() as TillgateAdapter;
  const { paths } = JSON.parse(COMMITTED) as { paths: Record<string, object> };
  const missing = Object.entries(paths).flatMap(([path, methods]) => {
    const routed = adapter.methodsOf(path.replace('{id}', 'anything'));
    return Object.keys(methods).filter((method) => !routed.includes(method.toUpperCase()));
  });
  expect(missing).toEqual([]);
});
