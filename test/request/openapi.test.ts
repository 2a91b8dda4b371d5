/**
 * The service sends the committed description to everybody, and it describes the existing routes.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { TillgateAdapter } from '../../src/request/adapter.js';
import { useService } from '../kit/setup.js';
import { get } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';

/** Programs read the whole document, so it must stay small. Each example stands in it once. */
const MAX_BYTES = 330_000;

const service = useService();

test('GET /openapi.json needs no key, may be cached, and is the committed document without indentation', async () => {
  const { status, headers, text } = await get(`${service.url}/openapi.json`, {});
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'public, max-age=300',
  ]);
  expect(text).toBe(JSON.stringify(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
});

test('GET /llms.txt needs no key, and sends the list of the documents', async () => {
  const { status, headers, text } = await get(`${service.url}/llms.txt`, {});
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toBe(readFileSync('src/operator/openapi/reference/llms.txt', 'utf8'));
});

test('every described operation is a route of the service', () => {
  const adapter = service.application.getHttpAdapter() as TillgateAdapter;
  const { paths } = DOCUMENT as { paths: Record<string, object> };
  const missing = Object.entries(paths).flatMap(([path, methods]) => {
    const routed = adapter.methodsOf(path.replace('{id}', 'anything'));
    return Object.keys(methods).filter((method) => !routed.includes(method.toUpperCase()));
  });
  expect(missing).toEqual([]);
});

test('a session shows every field of the request', () => {
  const { schemas } = (
    DOCUMENT as { components: { schemas: Record<string, { properties: object }> } }
  ).components;
  const fieldsOf = (name: string) => Object.keys(schemas[name]?.properties ?? {});
  expect(fieldsOf('CreateCheckoutSessionRequest').length).toBeGreaterThan(10);
  expect(fieldsOf('CheckoutSession')).toEqual(
    expect.arrayContaining(fieldsOf('CreateCheckoutSessionRequest')),
  );
});

test('every error code is shown in an example', () => {
  const { code } = DOCUMENT.components.schemas.Error.properties.error.properties;
  const shown = [...JSON.stringify(DOCUMENT).matchAll(/"next_step":\{[^}]*\},"code":"(\w+)"/g)].map(
    ([, code]) => code,
  );
  // This error is the answer of Fastify's router, so no operation can show it.
  expect([...new Set([...shown, 'method_not_allowed'])].sort()).toEqual([...code.enum].sort());
});
