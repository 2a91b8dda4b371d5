/**
 * The environment variables of OpenTelemetry switch on traces, which a real receiver of OTLP over
 * HTTP gets.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTracing } from '../../src/operator/process/tracing.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { openAccount, type Server, startServer, until } from '../support/processes.js';
import { listen } from '../support/sockets.js';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string };
  }[];
}

const spans: Span[] = [];
const services = new Set<string | undefined>();
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const headersOf = (trace: string) => ({ traceparent: `00-${trace}-b7ad6b7169203331-01` });

const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString())
    .resourceSpans) {
    services.add(attribute(resource, 'service.name'));
    for (const { spans: sent } of scopeSpans) spans.push(...sent);
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

let database: Awaited<ReturnType<typeof createDatabase>>;
let server: Server;
let key: string;

beforeAll(async () => {
  database = await createDatabase();
  ({ key } = await openAccount(database.url, 'Traced'));
  server = await startServer({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listen(collector)}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
});

afterAll(async () => {
  await server.stop();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
  await database.drop();
});

const ask = (path: string, trace: string) =>
  fetch(server.url + path, { headers: { ...headersOf(trace), authorization: `Bearer ${key}` } });

function attribute({ attributes }: Pick<Span, 'attributes'>, name: string): string | undefined {
  return attributes.find((one) => one.key === name)?.value.stringValue;
}

const logged = (trace: string) =>
  server
    .stdout()
    .split('\n')
    .filter((line) => line.includes(trace))
    .map((line) => JSON.parse(line));

test('a request and its statements belong to the trace of the caller, named by the pattern of the path, without values', async () => {
  const { status } = await ask(`/v1/refunds/re_test_${'0'.repeat(26)}?secret=1`, TRACE);
  expect(status).toBe(400);
  expect((await ask('/v1/refunds?limit=3', TRACE)).status).toBe(200);
  const ofTrace = (name: string) =>
    spans.filter((span) => span.traceId === TRACE && span.name.includes(name));
  await until(() => ofTrace('GET /v1/refunds').length === 2 && ofTrace('pg.query').length > 0);
  const list = ofTrace('GET /v1/refunds').find(({ name }) => name === 'GET /v1/refunds') as Span;
  expect(list.parentSpanId).toBe('b7ad6b7169203331');
  expect(
    ofTrace('GET /v1/refunds')
      .map((span) => attribute(span, 'url.path'))
      .sort(),
  ).toEqual(['/v1/refunds', '/v1/refunds/:id']);
  const statements = ofTrace('pg.query').map(
    (span) => attribute(span, 'db.query.text') ?? attribute(span, 'db.statement') ?? '',
  );
  expect(statements.some((text) => /FROM "?refunds\b/.test(text))).toBe(true);
  expect(JSON.stringify(spans)).not.toContain('secret=1');
  expect([...services]).toEqual(['tillgate']);
});

test('the lines of a request and of its error have the trace', async () => {
  await until(() => logged(TRACE).length === 2);
  expect(logged(TRACE)[1]).toMatchObject({
    msg: 'request',
    trace_id: TRACE,
    route: '/v1/refunds',
    status: 200,
  });
  await withClient(database.url, async (sql) => {
    await sql.query('ALTER TABLE events RENAME TO events_away');
    const trace = TRACE.replace('0af7', '1bf7');
    expect((await ask('/v1/events', trace)).status).toBe(500);
    await until(() => logged(trace).length === 2);
    expect(logged(trace).map(({ msg, trace_id }) => [msg, trace_id])).toEqual([
      ['unexpected error', trace],
      ['request', trace],
    ]);
  });
});

test.each([{}, { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }])(
  'with %j nothing is traced',
  async (environment) => {
    expect(await startTracing(environment)).toBeUndefined();
  },
);

test('the packages of OpenTelemetry are imported only when they are switched on', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const importing = sources.filter((name) =>
    /from '(@opentelemetry|@fastify\/otel)/.test(readFileSync(join('src', name), 'utf8')),
  );
  expect(importing).toEqual([]);
});
