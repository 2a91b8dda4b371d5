/**
 * Requests are drawn from the description of the API: each operation with valid and broken values
 * in every place, and the same requests with broken bytes. The seed and the number of a request are
 * enough to draw it, so it can be sent again.
 */
import fc, { type Arbitrary } from 'fast-check';
import { alteration, altered, type Node, Values } from '../support/values.js';
import { BODY_CHANGES, MEDIA_TYPES, ODD_TEXTS } from './broken.js';
import { brokenRequests, bytesOf, type Drawn, type Plain } from './broken-requests.js';
import type { Surroundings } from './surroundings.js';

/** In a header, this text stands for a value that no request has had. */
export const FRESH = 'fresh-value';
/** Returns the first value so often in ten, and otherwise one of the others. */
const mostly = <Value>(
  right: Arbitrary<Value>,
  others: Arbitrary<Value>,
  inTen = 9,
): Arbitrary<Value> =>
  fc.oneof({ weight: inTen, arbitrary: right }, { weight: 10 - inTen, arbitrary: others });
const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);
const odd = fc.oneof(oneOf(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 60 }));

export function requestsOf(surroundings: Surroundings): (seed: number, number: number) => Drawn {
  const plain = plainRequests(surroundings);
  const whole = plain.map(
    (request): Drawn => ({ plain: request, bytes: bytesOf(request), awaited: 1 }),
  );
  const drawn = fc.oneof(
    { weight: 9, arbitrary: whole },
    { weight: 1, arbitrary: brokenRequests(plain) },
  );
  return (seed, number) => fc.sample(drawn, { seed: mixed(seed, number), numRuns: 1 })[0] as Drawn;
}

/**
 * This operation answers after everything that became due is done, which may wait for receivers
 * that do not answer.
 */
const CLOCK = '/v1/test_helpers/clock';

function plainRequests(surroundings: Surroundings): Arbitrary<Plain> {
  const values = new Values(surroundings.document, surroundings.ids);
  const operations = Object.entries<Node>(surroundings.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => path !== CLOCK || method === 'get')
      .map((method) => operationRequests(surroundings, values, path, method)),
  );
  const elsewhere = fc.record({
    method: oneOf('GET', 'POST', 'PUT', 'OPTIONS', 'HEAD'),
    target: fc
      .tuple(oneOf('/', '/v1/', '/docs/', '/openapi.json', '/docs'), odd)
      .map(([start, text]) => start + encoded(text)),
    headers: fc.dictionary(
      oneOf('if-none-match', 'accept-encoding', 'origin', 'authorization'),
      headerText,
    ),
    body: fc.constant(undefined),
  });
  return mostly(fc.oneof(...operations), elsewhere);
}

function operationRequests(
  surroundings: Surroundings,
  values: Values,
  path: string,
  method: string,
): Arbitrary<Plain> {
  const { parameters = [], requestBody } = surroundings.document.paths[path][method];
  const all: Node[] = parameters.map((parameter: Node) => values.follow(parameter));
  const right = (name: string) =>
    values.of(all.find((parameter) => parameter.name === name).schema).map(String);
  const query = all.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const pair = (name: string) =>
    fc.tuple(
      mostly(fc.constant(name), oneOf(`${name}[]`, 'limit', 'x')),
      mostly(right(name), odd, 7),
    );
  const pairs =
    query.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...query.map(pair)), { maxLength: 3 });
  const ids = path.includes('{id}') ? mostly(right('id'), odd) : fc.constant('');
  const target = fc.tuple(ids, pairs).map(([id, given]) => {
    const search = given.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
    return `${path.replace('{id}', encoded(id))}${search && `?${search}`}`;
  });
  const schema = requestBody?.content['application/json'].schema;
  const headers = fc.record({
    always: fc.record({
      authorization: mostly(
        fc.constant(surroundings.keys[path.split('/')[1] ?? ''] ?? ''),
        oneOf(...surroundings.otherKeys),
      ),
      ...(schema && {
        'content-type': mostly(fc.constant('application/json'), oneOf(...MEDIA_TYPES)),
      }),
      ...(method === 'post' && {
        'idempotency-key': mostly(
          fc.constant(FRESH),
          fc.oneof(oneOf('again', '"again"'), headerText),
          8,
        ),
      }),
    }),
    sometimes: fc.dictionary(
      oneOf(
        'origin',
        'if-none-match',
        'x-request-id',
        'accept',
        'accept-encoding',
        'content-encoding',
        'cookie',
        'range',
        'te',
      ),
      headerText,
      { maxKeys: 1 },
    ),
  });
  return fc.record({
    method: mostly(
      fc.constant(method.toUpperCase()),
      oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    ),
    target,
    headers: headers.map(({ always, sometimes }) => ({ ...always, ...sometimes })),
    body: schema
      ? bodies(values.of(schema))
      : mostly(fc.constant(undefined), oneOf(Buffer.from('{}'))),
  });
}

function bodies(right: Arbitrary<unknown>): Arbitrary<Buffer | undefined> {
  const wrong = fc
    .tuple(right, fc.array(alteration, { maxLength: 2 }))
    .map(([value, alterations]) => alterations.reduce(altered, value));
  const texts = mostly(right, wrong, 6).map((value) => JSON.stringify(value));
  const changed = fc
    .tuple(texts, oneOf(...BODY_CHANGES))
    .map(([text, change]) => Buffer.from(change(text)));
  return mostly(
    texts.map((text) => Buffer.from(text)),
    changed,
    7,
  );
}

/** Returns text that a header may contain. */
const headerText = odd.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '~').trim());

/** Returns the text unchanged if it can be a target, and otherwise in UTF-8. */
function encoded(text: string): string {
  return /^[\w.~%/=,;*'-]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** Neighbouring numbers must not draw similar requests. */
function mixed(seed: number, number: number): number {
  const hash = Math.imul(seed ^ Math.imul(number, 0x9e3779b1), 0x85ebca6b);
  return Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) | 0;
}
