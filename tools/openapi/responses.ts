import { errorSchema } from '../../src/request/error.view.js';
import { headersOf } from '../../src/request/errors.js';
import type { HEADERS } from './about.js';
import { type Components, type Json, pascalCase, type Response } from './components.js';
import {
  type Example,
  isCommon,
  type Place,
  type Refusing,
  refusedBy,
  rendered,
  statusOfExample,
} from './refusals.js';

type HeaderName = keyof typeof HEADERS;

const NAMES: Readonly<Record<string, HeaderName>> = {
  'Request-Id': 'RequestId',
  Location: 'Location',
  Link: 'Link',
  'Retry-After': 'RetryAfter',
  'WWW-Authenticate': 'WwwAuthenticate',
  'Idempotent-Replayed': 'IdempotentReplayed',
};

/** These error statuses are stored with an idempotency key, and can be replayed. */
const STORED_REFUSALS = [404, 422];

export function refusalsOf(route: Refusing, components: Components): Json {
  const examples = refusedBy(route, components);
  const statuses = [...new Set(examples.map(statusOfExample))];
  const refused = statuses.map((status) => {
    const alike = examples.filter((example) => statusOfExample(example) === status);
    return [status, refusedWith(route, alike, components)] as const;
  });
  return Object.fromEntries(refused);
}

function refusedWith(route: Refusing, examples: readonly Example[], components: Components): Json {
  const codes = [...new Set(examples.map(({ refusal }) => refusal.code))];
  const response = refusal(route, examples, components);
  const isShared = codes.every((code) => isCommon(code, components));
  return isShared ? components.response(pascalCase(codes.join('_or_')), response) : response;
}

function refusal(route: Place, examples: readonly Example[], components: Components): Response {
  const codes = [...new Set(examples.map((example) => example.refusal.code))];
  const [example] = examples as [Example];
  const own = Object.keys(headersOf(example.refusal)).filter((name) => name in NAMES);
  const isKept = route.idempotencyKey && STORED_REFUSALS.includes(statusOfExample(example));
  return {
    description: descriptionOf(codes, components),
    headers: headers([...own, ...(isKept ? ['Idempotent-Replayed'] : [])]),
    content: {
      'application/json': {
        schema: errorOf(codes, components),
        examples: Object.fromEntries(
          examples.map((one) => [one.name, shown(one, route, components)]),
        ),
      },
    },
  };
}

/**
 * The first operation shows a refusal that any operation may have: only the path in `next_step`
 * would differ.
 */
function shown(example: Example, route: Place, components: Components): Json {
  const { name, refusal } = example;
  if (name !== refusal.code) return rendered(example, route, components);
  const title = pascalCase(name);
  const known = isCommon(name, components) ? components.examples[title] : undefined;
  return components.example(title, known ?? rendered(example, route, components));
}

function descriptionOf(codes: readonly string[], { declarations }: Components): string {
  const told = declarations.errors.filter(({ code }) => codes.includes(code));
  const lines = told.map(({ code, meaning }) => `\`${code}\`: ${meaning}`);
  return lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join('\n');
}

function errorOf(codes: readonly string[], components: Components): Json {
  const only = { properties: { error: { properties: { code: { enum: codes } } } } };
  return { allOf: [components.schema(errorSchema(components.declarations.errors)), only] };
}

export function headers(names: readonly string[]): Json {
  const all = ['Request-Id', ...names];
  return Object.fromEntries(
    all.map((name) => [name, { $ref: `#/components/headers/${NAMES[name]}` }]),
  );
}
