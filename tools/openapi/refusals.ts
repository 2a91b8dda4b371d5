/**
 * Describes the error codes of a route, with an example of each, which the production code renders.
 */

import type { FastifyRequest } from 'fastify';
import { notJson, tooLarge } from '../../src/request/body.guard.js';
import { internalError, unavailable } from '../../src/request/error.filter.js';
import { statusOf } from '../../src/request/errors.js';
import { inUse, keyReused } from '../../src/request/idempotency/idempotency.js';
import { idempotencyKeyOf } from '../../src/request/request.js';
import { exampleId } from '../../src/request/schema.js';
import { fieldsOf, type RequestClass } from '../../src/request/validation/constraints.js';
import { ParseIdPipe } from '../../src/request/validation/validation.js';
import {
  invalidParam,
  invalidParams,
  noSuchRoute,
  notFound,
  Refusal,
} from '../../src/shared/errors.js';
import { type IdKind, ORGANIZATION_ID } from '../../src/shared/id.js';
import type { Components } from './components.js';
import { examplesOf } from './operation-examples.js';
import type { Route } from './routes.js';

export interface Place extends Pick<Route, 'idKind' | 'idempotencyKey'> {
  readonly method: string;
  readonly path: string;
}
export type Refusing = Route & Place;

export interface Example {
  readonly name: string;
  /** The ID in the path of the request, if it is not the usual example. */
  readonly id?: string;
  readonly refusal: Refusal;
}

const COMMON = [
  invalidParam('', 'required', ''),
  notFound('id'),
  tooLarge(),
  notJson(),
  inUse(),
  keyReused(),
  internalError(),
  unavailable(),
];
/**
 * The refusals of every operation have their response and their example once in the document, not
 * with each operation.
 */
export const isCommon = (code: string, { declarations }: Components): boolean =>
  [...declarations.guardRefusals, ...COMMON].some((refusal) => refusal.code === code);

export function refusedBy(route: Refusing, components: Components): Example[] {
  const { credential, method, idempotencyKey, idKind, operationId } = route;
  const { refusals = [] } = examplesOf(operationId);
  const { guardRefusals } = components.declarations;
  const isMerchantsWrite =
    (credential === 'secret' || credential === 'sandbox') && method !== 'get';
  const needsKey = credential !== 'none' && credential !== 'metrics';
  const codes = [
    ...(needsKey ? guardRefusals.filter(({ kind }) => kind !== 'right' || isMerchantsWrite) : []),
    ...(credential === 'metrics'
      ? guardRefusals.filter(({ kind }) => kind === 'unauthenticated')
      : []),
    ...(method === 'post' ? [tooLarge(), notJson()] : []),
    ...(idempotencyKey ? [inUse(), keyReused()] : []),
    ...(idKind ? [notFound('id')] : credential === 'sandbox' ? [noSuchRoute()] : []),
    ...refusals.map(refusalOf),
    internalError(),
    ...(needsKey ? [unavailable()] : []),
  ];
  return [
    ...invalidExamples(route, components),
    ...codes.map((refusal) => ({ name: refusal.code, refusal })),
  ];
}

/** These headers have no usable key. Where the key is optional, a missing header is valid. */
const sent = (rawHeaders: readonly string[]) => ({ raw: { rawHeaders } }) as FastifyRequest;
const UNUSABLE = { required: [], accepted: ['Idempotency-Key', '""'] };

function invalidExamples(
  { idempotencyKey, idKind, query, body }: Route,
  components: Components,
): Example[] {
  const found = [
    ...(idempotencyKey
      ? [
          {
            name: 'idempotency_key',
            refusal: refusalOf(() =>
              idempotencyKeyOf(sent(UNUSABLE[idempotencyKey]), idempotencyKey),
            ),
          },
        ]
      : []),
    ...(idKind ? [malformedId(idKind)] : []),
    ...(query ? invalidQueries(query, components) : []),
    ...(body
      ? invalid(
          components,
          'body',
          body,
          fieldsOf(body, components.declarations).size === 0 ? { unknown: true } : {},
        )
      : []),
  ];
  const host = invalidParam('Host', 'required', 'The Host header is required.');
  return found.length > 0 ? found : [{ name: 'host', refusal: host }];
}

function malformedId(kind: IdKind): Example {
  const id = 'malformed';
  return {
    name: 'malformed_id',
    id,
    refusal: refusalOf(() => new ParseIdPipe(kind).transform(id)),
  };
}

function invalidQueries(query: RequestClass, components: Components): Example[] {
  const fields = fieldsOf(query, components.declarations);
  return [
    ...invalid(components, 'query', query, fields.has('limit') ? { limit: '0' } : {}),
    ...(fields.has('cursor')
      ? invalid(components, 'malformed_cursor', query, { cursor: 'malformed' })
      : []),
  ];
}

function invalid(
  { requests }: Components,
  name: string,
  request: RequestClass,
  value: object,
): Example[] {
  const errors = requests.faultsOf(request, value);
  return errors.length > 0 ? [{ name, refusal: invalidParams(errors) }] : [];
}

function refusalOf(attempt: () => unknown): Refusal {
  try {
    const refusal = attempt();
    if (refusal instanceof Refusal) return refusal;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`Nothing was refused by ${attempt}.`);
}

export function rendered(
  { refusal, id }: Example,
  { method, path, idKind }: Place,
  { errors }: Components,
) {
  const url = idKind ? path.replace('{id}', id ?? exampleId(idKind)) : path;
  const request = {
    id: 'req_0f4c9a52-6b1e-4d0a-9a3c-2f7d1b8e5c60',
    method: method.toUpperCase(),
    url,
  };
  const answer = errors.answerTo(refusal, { ...request, organization: exampleId(ORGANIZATION_ID) });
  return { value: JSON.parse(answer.body) as unknown };
}

export const statusOfExample = ({ refusal }: Example): number => statusOf(refusal);
