/** The OpenAPI 3.1 document of some controllers. */
import type { Type } from '@nestjs/common';
import { type Field, fieldsOf, shownSchema } from '../http/constraints.js';
import type { TagFacts, WebhookFacts } from '../http/operation.js';
import { id } from '../http/schema.js';
import { HEADERS, INFO, PARAMETERS, SECURITY, SECURITY_SCHEMES, SERVERS } from './about.js';
import { Components, type Json } from './components.js';
import { responsesOf } from './responses.js';
import { type Route, routesOf, webhooksOf } from './routes.js';
import { webhook } from './webhooks.js';

export type Document = Json;

/** What a reader comes for first. */
const SURFACES = ['secret', 'ledger', 'open'];

export function documentOf(controllers: readonly Type[]): Document {
  const components = new Components();
  const routes = controllers.flatMap(routesOf).sort(byPlace);
  const webhooks = Object.entries(Object.assign({}, ...controllers.map(webhooksOf)) as Webhooks);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] as object, { [route.method]: operation(route, components) });
  }
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: SERVERS,
    tags: tagsOf(routes),
    paths,
    webhooks: Object.fromEntries(webhooks.map(([type, facts]) => [type, webhook(type, facts, components)])),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: sorted(components.responses),
      schemas: sorted(components.schemas),
    },
  };
}

type Webhooks = Readonly<Record<string, WebhookFacts & { tag: TagFacts }>>;

function operation(route: Route, components: Components): Json {
  const { operationId, summary, description, tag, gate, body, example } = route;
  const requestBody = body && {
    required: [...fieldsOf(body).values()].some(({ isOptional }) => !isOptional),
    content: { 'application/json': { schema: components.request(body), ...(example !== undefined && { example }) } },
  };
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag.name],
    security: SECURITY[gate],
    parameters: parametersOf(route, components),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, components),
  };
}

function parametersOf({ idKind, query, idempotencyKey }: Route, components: Components): Json[] {
  const shared = [
    ...(idempotencyKey === 'required' ? ['IdempotencyKey'] : []),
    ...(idempotencyKey === 'accepted' ? ['OptionalIdempotencyKey'] : []),
    'RequestId',
  ];
  return [
    ...(idKind ? [pathId(idKind)] : []),
    ...(query ? [...fieldsOf(query)].map(([name, field]) => queryParameter(name, field, components)) : []),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function pathId(idKind: NonNullable<Route['idKind']>): Json {
  const { description, ...schema } = id(idKind, 'The identifier of the resource.');
  return { name: 'id', in: 'path', required: true, description, schema };
}

/** A query string has no null. */
function queryParameter(name: string, field: Field, components: Components): Json {
  const { description, type, ...schema } = shownSchema(field, (type) => components.request(type));
  const place = { name, in: 'query', ...(!field.isOptional && { required: true }) };
  return { ...place, ...(description !== undefined && { description }), schema: { type: [type].flat()[0], ...schema } };
}

function tagsOf(routes: readonly Route[]): TagFacts[] {
  return [...new Map(routes.map(({ tag }) => [tag.name, tag])).values()];
}

function byPlace(one: Route, other: Route): number {
  const surface = SURFACES.indexOf(one.gate) - SURFACES.indexOf(other.gate);
  // What is made is read about before how it is listed: POST before GET.
  return surface || compare(one.path, other.path) || compare(other.method, one.method);
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

function sorted(parts: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(parts).sort(([one], [other]) => compare(one, other)));
}
