/** Sequences: right requests to the operations and to pages, each sent many times in a row or at once. */
import fc, { type Arbitrary } from 'fast-check';
import type { Surroundings } from './surroundings.js';
import { type Node, Values } from './values.js';

export interface Step {
  /** `POST /v1/refunds`. */
  readonly name: string;
  readonly seed: number;
  readonly times: number;
  readonly atOnce: number;
}

const PAGES = ['GET /c/{id}', 'POST /c/{id}/pay'];
/** More than the bound of whatever has one. */
const IN_A_ROW = { times: 120, atOnce: 4 };
const AT_ONCE = { times: 160, atOnce: 80 };
const OPERATIONS_EACH = 5;

/** All operations in an order of their own, in a row, and in another one, at once. */
export function sequencesOf({ paths }: Node, seed: number): Step[][] {
  const operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const all = [...operations, ...PAGES];
  const orders = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { seed, numRuns: 2 });
  return orders.flatMap((names, round) => {
    const steps = names.map((name, place) => ({ name, seed: seed + place, ...(round === 1 ? AT_ONCE : IN_A_ROW) }));
    return Array.from({ length: Math.ceil(steps.length / OPERATIONS_EACH) }, (_, at) =>
      steps.slice(at * OPERATIONS_EACH, (at + 1) * OPERATIONS_EACH),
    );
  });
}

/** Requests that the description allows, with identifiers of what exists. */
export function requestsOf({ document, ids, keys }: Surroundings, { name, seed }: Step) {
  const [method = '', path = ''] = name.split(' ');
  const values = new Values(document, ids);
  const { requestBody, parameters } = document.paths[path]?.[method.toLowerCase()] ?? {};
  const schema = requestBody?.content['application/json'].schema;
  const id = parameters?.find((parameter: Node) => parameter.in === 'path');
  const right: Arbitrary<unknown> = id ? values.of(id.schema) : fc.constantFrom(...(ids.page ?? []));
  const drawn = fc.record({
    method: fc.constant(method),
    path: right.map((value) => path.replace('{id}', String(value))),
    authorization: fc.constant(keys[path.split('/')[1] ?? '']),
    body: schema ? values.of(schema).map((value) => JSON.stringify(value)) : fc.constant(undefined),
  });
  return fc.sample(drawn, { seed, numRuns: 40 });
}

export type StepRequest = ReturnType<typeof requestsOf>[number];

export const shown = (steps: readonly Step[]): string =>
  steps.map(({ name, times, atOnce }) => `${name} × ${times}, ${atOnce} at once`).join('; ');
