import { createRequire } from 'node:module';
import { ConfigError } from '../../platform/config.js';

const WANTED_BY = [
  'OTEL_TRACES_EXPORTER',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
];
const PACKAGES = '@fastify/otel @opentelemetry/instrumentation-pg @opentelemetry/sdk-node';

export type Tracing = Awaited<ReturnType<typeof startTracing>>;

/**
 * Traces requests and their statements if a variable of OpenTelemetry asks for it. Throws a
 * ConfigError if OpenTelemetry's packages are not installed.
 */
export async function startTracing(environment: NodeJS.ProcessEnv) {
  const wantedBy = WANTED_BY.find((name) => environment[name]);
  const { OTEL_SDK_DISABLED, OTEL_SERVICE_NAME } = environment;
  if (wantedBy === undefined || OTEL_SDK_DISABLED === 'true') return undefined;
  const { NodeSDK, FastifyOtelInstrumentation, PgInstrumentation } = await imported(wantedBy);
  const sdk = new NodeSDK({
    serviceName: OTEL_SERVICE_NAME || 'tillgate',
    instrumentations: [
      new FastifyOtelInstrumentation({
        registerOnInitialization: true,
        instrumentHooks: false,
        instrumentHandler: false,
        requestHook: (span, request) => {
          const { method, routeOptions } = request;
          request.traceId = span.spanContext().traceId;
          span.updateName(`${method} ${routeOptions.url ?? 'none'}`);
          // The path itself is left out, because it may hold a customer's secret.
          span.setAttribute('url.path', routeOptions.url ?? '');
        },
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  sdk.start();
  // Both modules are already loaded. Requiring them again hands them to the instrumentation, which
  // changes them in place.
  const require = createRequire(import.meta.url);
  require('pg');
  createRequire(require.resolve('pg'))('pg-pool');
  return sdk;
}

async function imported(wantedBy: string) {
  try {
    const { NodeSDK } = await import('@opentelemetry/sdk-node');
    const { FastifyOtelInstrumentation } = await import('@fastify/otel');
    const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
    return { NodeSDK, FastifyOtelInstrumentation, PgInstrumentation };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError([
      `${wantedBy} is set, but OpenTelemetry is not installed: npm install --save-prod ${PACKAGES}`,
    ]);
  }
}
