import { id } from '../../src/request/schema.js';
import { type Field, fieldsOf } from '../../src/request/validation/constraints.js';
import { SECURITY } from './about.js';
import type { Components, Json } from './components.js';
import { examplesOf } from './operation-examples.js';
import { shownSchema } from './request-schema.js';
import { headers, refusalsOf } from './responses.js';
import type { Route } from './routes.js';

export function described(route: Route, components: Components): Json {
  const { operationId, summary, tag, credential, answers } = route;
  const description = [route.description, rightOf(route)].filter(Boolean).join(' ');
  const answered = Object.keys(answers).map((status) => [status, answerOf(route, Number(status), components)]);
  return {
    security: SECURITY[credential],
    ...(description && { description }),
    operationId,
    parameters: parametersOf(route, components),
    ...bodyOf(route, components),
    responses: { ...Object.fromEntries(answered), ...refusalsOf(route, components) },
    summary,
    tags: [tag.name],
  };
}

const rightOf = ({ right }: Route) => right && `A restricted key needs the right \`${right}\`.`;

function parametersOf({ idKind, query, idempotencyKey, credential, method }: Route, components: Components): Json[] {
  const { description, ...schema } = idKind ? (id(idKind, 'ID of the resource.') as Json) : {};
  const own = [
    ...(idKind ? [{ name: 'id', required: true, in: 'path', description, schema }] : []),
    ...(query ? [...fieldsOf(query)].map(([name, field]) => queryParameter(name, field, components)) : []),
  ];
  const isMerchants = credential === 'secret' || credential === 'sandbox';
  const shared = [
    ...(idempotencyKey === 'required' ? ['IdempotencyKey'] : []),
    ...(idempotencyKey === 'accepted' ? ['OptionalIdempotencyKey'] : []),
    ...(isMerchants && method !== 'get' ? ['Actor'] : []),
    'RequestId',
  ];
  const references = shared.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...own.map((parameter) => components.parameter(parameter)), ...references];
}

function queryParameter(name: string, field: Field, components: Components): Json {
  const { description, type, ...schema } = shownSchema(field, components.facts, (nested) => components.request(nested));
  return { name, required: !field.isOptional, in: 'query', description, schema: { type: [type].flat()[0], ...schema } };
}

function bodyOf({ body, operationId }: Route, components: Components): Json {
  if (!body) return {};
  const required = [...fieldsOf(body).values()].some(({ isOptional }) => !isOptional);
  const { body: example } = examplesOf(operationId);
  const examples = example === undefined ? {} : { examples: { smallest: { value: example } } };
  return {
    requestBody: { required, content: { 'application/json': { schema: components.request(body), ...examples } } },
  };
}

function answerOf({ answers, idempotencyKey, operationId }: Route, status: number, components: Components): Json {
  const answer = answers[status] as Route['answers'][number];
  const { description, schema, located, linked, mediaType = 'application/json' } = answer;
  const names = [
    ...(located ? ['Location'] : []),
    ...(linked ? ['Link'] : []),
    ...(idempotencyKey ? ['Idempotent-Replayed'] : []),
  ];
  const content = { [mediaType]: components.content(schema, examplesOf(operationId).answer) };
  return { description, headers: headers(names), content };
}
