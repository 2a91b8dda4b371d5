import {
  ApiBody,
  ApiIncludeEndpoint,
  ApiOperation,
  ApiParam,
  ApiQuery,
  type ApiQueryOptions,
  ApiResponse,
  type ApiResponseOptions,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import { id } from '../../src/request/schema.js';
import { type Field, fieldsOf } from '../../src/request/validation/constraints.js';
import { SECURITY } from './about.js';
import type { Components, Json } from './components.js';
import { examplesOf } from './operation-examples.js';
import { shownSchema } from './request-schema.js';
import { headers } from './responses.js';
import type { Route } from './routes.js';

/**
 * Adds decorators of @nestjs/swagger to a handler. Controllers do not import it, which would slow
 * every start (docs/explain/decisions/README.md).
 */
export function describe(route: Route, components: Components): void {
  const { controller, handler, operationId, summary, tag, credential, answers } = route;
  const description = [route.description, rightOf(route)].filter(Boolean).join(' ');
  const decorators = [
    ApiIncludeEndpoint(),
    ApiOperation({ operationId, summary, ...(description && { description }) }),
    ApiTags(tag.name),
    ...SECURITY[credential].map((requirement) => ApiSecurity(requirement)),
    ...parametersOf(route, components),
    ...bodyOf(route, components),
    ...Object.keys(answers).map((status) => answerOf(route, Number(status), components)),
  ];
  const { prototype } = controller;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, handler) as PropertyDescriptor;
  for (const decorate of decorators) decorate(prototype, handler, descriptor);
}

const rightOf = ({ right }: Route) => right && `A restricted key needs the right \`${right}\`.`;

function parametersOf({ idKind, query }: Route, components: Components): MethodDecorator[] {
  const { description = '', ...schema } = idKind ? (id(idKind, 'ID of the resource.') as Json) : {};
  return [
    ...(idKind
      ? [ApiParam({ name: 'id', required: true, description: `${description}`, schema })]
      : []),
    ...(query
      ? [...fieldsOf(query, components.declarations)].map(([name, field]) =>
          queryParameter(name, field, components),
        )
      : []),
  ];
}

function queryParameter(name: string, field: Field, components: Components): MethodDecorator {
  const { description, type, ...schema } = shownSchema(field, (nested) =>
    components.request(nested),
  );
  return ApiQuery({
    name,
    required: !field.optional,
    description,
    schema: { type: [type].flat()[0], ...schema },
  } as ApiQueryOptions);
}

function bodyOf({ body, operationId }: Route, components: Components): MethodDecorator[] {
  if (!body) return [];
  const required = [...fieldsOf(body, components.declarations).values()].some(
    ({ optional }) => !optional,
  );
  const { body: example } = examplesOf(operationId);
  const examples = example === undefined ? {} : { examples: { smallest: { value: example } } };
  return [ApiBody({ required, schema: components.request(body), ...examples })];
}

function answerOf(
  { answers, idempotencyKey, operationId }: Route,
  status: number,
  components: Components,
): MethodDecorator {
  const answer = answers[status] as Route['answers'][number];
  const { description, schema, located, linked, mediaType = 'application/json' } = answer;
  const names = [
    ...(located ? ['Location'] : []),
    ...(linked ? ['Link'] : []),
    ...(idempotencyKey ? ['Idempotent-Replayed'] : []),
  ];
  const content = { [mediaType]: components.content(schema, examplesOf(operationId).answer) };
  return ApiResponse({
    status,
    description,
    headers: headers(names),
    content,
  } as ApiResponseOptions);
}
