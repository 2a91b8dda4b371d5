/** Which codes a route can refuse with, and an example of each, rendered by the code that answers. */
import { invalidParams, notFound, paramError, type Refusal } from '../../shared/errors.js';
import { facts } from '../facts.js';
import { notJson, tooLarge } from '../http/body.guard.js';
import { fieldsOf } from '../http/constraints.js';
import { internalError, unavailable } from '../http/error.filter.js';
import { answerTo, statusOf } from '../http/errors.js';
import { PathIdPipe } from '../http/path-id.js';
import { exampleId } from '../http/schema.js';
import { explain } from '../http/validation.js';
import { inUse, keyReused } from '../idempotency/idempotency.js';
import { keyOf } from '../idempotency/idempotency-key.guard.js';
import type { Route } from './routes.js';

export interface Example {
  readonly name: string;
  readonly refusal: Refusal;
}

/** What is refused alike wherever it is refused at all. */
const COMMON = [tooLarge(), notJson(), inUse(), internalError(), unavailable()];
export const isCommon = (code: string): boolean =>
  [...facts().gate, ...COMMON].some((refusal) => refusal.code === code);

/** In the order of the checks. */
export function examplesOf(route: Route): Example[] {
  const { gate, method, idempotencyKey, idKind, refusals = [] } = route;
  const isGated = gate !== 'open';
  const codes = [
    ...(isGated ? facts().gate : []),
    ...(method === 'post' ? [tooLarge(), notJson()] : []),
    ...(idempotencyKey ? [inUse(), keyReused()] : []),
    ...(idKind ? [notFound('id')] : []),
    ...refusals,
    internalError(),
    ...(isGated ? [unavailable()] : []),
  ];
  return [...invalidExamples(route), ...codes.map((refusal) => ({ name: refusal.code, refusal }))];
}

/** What comes of the requests that are wrong in the likeliest ways. */
function invalidExamples({ idempotencyKey, idKind, query, body }: Route): Example[] {
  const wrong: [string, () => unknown][] = [
    ...(idempotencyKey ? [said('idempotency_key', () => keyOf([]))] : []),
    ...(idKind ? [said('malformed_id', () => new PathIdPipe(idKind).transform('malformed'))] : []),
    ...(query ? queryFaults(query) : []),
    ...(body ? [said('body', () => refuse(explain(body, fieldsOf(body).size === 0 ? { unknown: true } : {})))] : []),
  ];
  const found = wrong.flatMap(([name, attempt]) => {
    const refusal = refusalOf(attempt);
    return refusal ? [{ name, refusal }] : [];
  });
  const host = invalidParams([paramError('Host', 'required', 'The Host header is required.')]);
  return found.length > 0 ? found : [{ name: 'host', refusal: host }];
}

function queryFaults(query: NonNullable<Route['query']>): [string, () => unknown][] {
  const names = [...fieldsOf(query).keys()];
  const faults: [string, Record<string, string>][] = [
    ['query', names.includes('limit') ? { limit: '0' } : {}],
    ...(names.includes('cursor') ? [['malformed_cursor', { cursor: 'malformed' }] satisfies [string, object]] : []),
  ];
  return faults.map(([name, value]) => said(name, () => refuse(explain(query, value))));
}

const said = (name: string, attempt: () => unknown): [string, () => unknown] => [name, attempt];

function refuse(errors: Parameters<typeof invalidParams>[0]): void {
  if (errors.length > 0) throw invalidParams(errors);
}

function refusalOf(attempt: () => unknown): Refusal | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error as Refusal;
  }
}

/** The answer to a request of this route that is refused so. */
export function rendered({ refusal }: Example, { method, path, idKind }: Pick<Route, 'method' | 'path' | 'idKind'>) {
  const url = idKind ? path.replace('{id}', exampleId(idKind)) : path;
  const request = { id: 'req_0f4c9a52-6b1e-4d0a-9a3c-2f7d1b8e5c60', method: method.toUpperCase(), url };
  const answer = answerTo(refusal, { ...request, organization: exampleId('org') });
  const value = JSON.parse(answer.body) as { error: { message: string } };
  return { summary: value.error.message, value };
}

export const statusOfExample = ({ refusal }: Example): number => statusOf(refusal);
