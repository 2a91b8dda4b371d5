import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Facts } from '../../src/platform/facts.js';
import { HEADERS, INFO, SECURITY_SCHEMES, SERVERS } from './about.js';
import { Components, type Json } from './components.js';
import { described } from './describe.js';
import { type Route, routesOf, webhooksOf } from './routes.js';
import { RECEIVED, webhook } from './webhooks.js';

const SURFACES = ['secret', 'sandbox', 'ledger', 'operator', 'metrics', 'none'];

export function documentOf(application: INestApplicationContext, facts: Facts): Json {
  const modules = [...application.get(ModulesContainer).values()];
  const controllers = modules.flatMap(({ controllers }) =>
    [...controllers.values()].map((one) => one.metatype as Type),
  );
  const components = new Components(facts);
  const routes = controllers.flatMap(routesOf).sort(byPlace);
  // An example of an event shows a resource whose routes may come later.
  for (const { answers } of routes) for (const { schema } of Object.values(answers)) components.schema(schema);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: described(route, components) };
  const webhooks = controllers.flatMap((controller) => Object.entries(webhooksOf(controller, facts)));
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: SERVERS,
    tags: [...new Map(routes.map(({ tag }) => [tag.name, tag])).values()],
    paths,
    webhooks: Object.fromEntries(webhooks.map(([type, one]) => [type, webhook(type, one, components)])),
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

function byPlace(one: Route, other: Route): number {
  const surface = SURFACES.indexOf(one.credential) - SURFACES.indexOf(other.credential);
  // What is made is read about before how it is listed: POST before GET.
  return surface || compare(one.path, other.path) || compare(other.method, one.method);
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

function sorted(parts: Readonly<Record<string, object>>): Json {
  return Object.fromEntries(Object.entries(parts).sort(([one], [other]) => compare(one, other)));
}
