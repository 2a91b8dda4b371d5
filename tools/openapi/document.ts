/**
 * Makes the OpenAPI 3.1 document: @nestjs/swagger reads the routes, and this adds what it has no
 * decorators for.
 */
import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Declarations } from '../../src/platform/module-declaration.js';
import { HEADERS, INFO, SECURITY_SCHEMES, SERVERS } from './about.js';
import { Components, type Json } from './components.js';
import { describe } from './describe.js';
import { refusalsOf } from './responses.js';
import { type Route, routesOf, webhooksOf } from './routes.js';
import { RECEIVED, webhook } from './webhooks.js';

const SURFACES = ['secret', 'sandbox', 'ledger', 'operator', 'metrics', 'none'];

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly route: Route;
  readonly json: Json;
}

export function documentOf(application: INestApplication, declarations: Declarations): Json {
  const modules = [...application.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype),
  );
  const components = new Components(declarations);
  const routes = controllers.flatMap((controller) => routesOf(controller as Route['controller']));
  // The example of an event shows a resource whose routes come later.
  for (const { answers } of routes)
    for (const { schema } of Object.values(answers)) components.schema(schema);
  for (const route of routes) describe(route, components);
  const { paths } = scanned(application);
  const operations = operationsOf(paths, routes).sort(byPlace);
  const webhooks = Object.assign(
    {},
    ...controllers.map((one) => webhooksOf(one as Route['controller'], declarations)),
  ) as Webhooks;
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: SERVERS,
    tags: [...new Map(operations.map(({ route: { tag } }) => [tag.name, tag])).values()],
    paths: byPath(
      operations.map((operation) => ({ ...operation, json: completed(operation, components) })),
    ),
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([type, one]) => [type, webhook(type, one, components)]),
    ),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: components.parameters,
      headers: HEADERS,
      examples: sorted(components.examples),
      responses: { ...sorted(components.responses), ...RECEIVED },
      schemas: sorted(components.schemas),
    },
  };
}

type Webhooks = ReturnType<typeof webhooksOf>;

function scanned(application: INestApplication): OpenAPIObject {
  const about = { openapi: '3.1.1', info: INFO };
  return SwaggerModule.createDocument(application, about, {
    autoTagControllers: false,
    onlyIncludeDecoratedEndpoints: true,
  });
}

function operationsOf(paths: OpenAPIObject['paths'], routes: readonly Route[]): Operation[] {
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, json]) => ({ path, method, json: json as Json })),
  );
  return routes.map((route) => {
    const operation = found.find(({ json }) => json.operationId === route.operationId);
    if (!operation) throw new Error(`${route.operationId} is no route.`);
    return { ...operation, route };
  });
}

function completed({ path, method, route, json }: Operation, components: Components): Json {
  const isMerchants = route.credential === 'secret' || route.credential === 'sandbox';
  const shared = [
    ...(route.idempotencyKey === 'required' ? ['IdempotencyKey'] : []),
    ...(route.idempotencyKey === 'accepted' ? ['OptionalIdempotencyKey'] : []),
    ...(isMerchants && method !== 'get' ? ['Actor'] : []),
    'RequestId',
  ];
  const references = shared.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return {
    security: [],
    ...json,
    parameters: [
      ...(json.parameters as Json[]).map((one) => components.parameter(one)),
      ...references,
    ],
    responses: {
      ...(json.responses as Json),
      ...refusalsOf({ ...route, path, method }, components),
    },
  };
}

function byPath(operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { path, method, json } of operations) paths[path] = { ...paths[path], [method]: json };
  return paths;
}

function byPlace(one: Operation, other: Operation): number {
  const surface = SURFACES.indexOf(one.route.credential) - SURFACES.indexOf(other.route.credential);
  // POST comes before GET, because readers create a resource before they list it.
  return surface || compare(one.path, other.path) || compare(other.method, one.method);
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

function sorted(parts: Readonly<Record<string, object>>): Json {
  return Object.fromEntries(Object.entries(parts).sort(([one], [other]) => compare(one, other)));
}
