/**
 * Every place that takes text gets text that slows down bad regular expressions. It must cost no
 * more time than harmless text of its size.
 */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.js';
import { ask } from '../support/ask.js';
import { DOCUMENT } from '../support/document.js';
import { createLedgerKey, createOperatorKey, createTenant } from '../support/tenants.js';
import type { Node } from '../support/values.js';

/**
 * A request may take this many times the CPU time that the largest harmless body takes on this
 * machine.
 */
const TIMES_HARMLESS = 10;
/**
 * The least of so many measurements counts, because garbage collections may fall into several of
 * them in a row.
 */
const TRIES = 12;
const UNITS = [...'10 \t,."[{-@%=;/:a', '\\"', '%20', 'e1'];
const HEADERS = [
  ...[
    'Accept',
    'Accept-Encoding',
    'Authorization',
    'Content-Type',
    'Cookie',
    'Idempotency-Key',
    'Origin',
    'User-Agent',
  ],
  ...['If-None-Match', 'X-Forwarded-For', 'X-Request-Id', 'Access-Control-Request-Headers'],
];
const SESSIONS = '/v1/checkout_sessions';

interface Place {
  readonly sizes: readonly number[];
  readonly send: (text: string) => Promise<unknown>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let service: Service;
let secretKey: string;
let ledgerKey: string;
let operatorKey: string;
let tooMuch: number;

beforeAll(async () => {
  service = await startService();
  secretKey = (await createTenant(service)).test;
  ledgerKey = await createLedgerKey(service, 'test');
  operatorKey = await createOperatorKey(service);
  const harmless = (text: string) => exchange('POST', SESSIONS, {}, text);
  tooMuch = TIMES_HARMLESS * (await leastCost(harmless, 'x'.repeat(Math.max(...LARGE)), 0));
});

afterAll(async () => {
  agent.destroy();
  await service.close();
});

const keyFor = (path: string) =>
  path.startsWith('/operator') ? operatorKey : path.startsWith('/ledger') ? ledgerKey : secretKey;

async function exchange(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<void> {
  const usual = {
    Authorization: `Bearer ${keyFor(path)}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  };
  await ask(service.url + path, { method, agent, headers: { ...usual, ...headers }, body });
}

const SMALL = [500, 15_000];
const LARGE = [500, 40_000, 250_000];

const inHeader = (method: string, path: string, name: string, start = ''): Place => ({
  sizes: SMALL,
  send: (text) =>
    exchange(method, path, { [name]: `${start}${text}` }, method === 'POST' ? '{}' : ''),
});
const inBody = (path: string, write: (text: string) => string): Place => ({
  sizes: LARGE,
  send: (text) => exchange('POST', path, {}, write(text)),
});
const inUrl = (method: string, start: string): Place => ({
  sizes: SMALL,
  send: (text) => exchange(method, start + text.replaceAll(/[ \t"\\{[]/g, encodeURIComponent), {}),
});

/** Returns a value of the schema's shape with the text in every place that takes text. */
function filled(
  { $ref, type, properties, items, additionalProperties }: Node,
  text: string,
): unknown {
  if ($ref) return filled(DOCUMENT.components.schemas[$ref.split('/').at(-1)], text);
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, filled(schema, text)]),
    );
  }
  if (items) return [filled(items, text)];
  if (additionalProperties) return { reference: text };
  return type === 'integer' ? 1 : text;
}

/**
 * Sends the text in all fields of the body at once, in each parameter of the query, and in the ID
 * of the path.
 */
function placesOf(path: string, method: string, operation: Node): [string, Place][] {
  const { operationId, requestBody, parameters = [] } = operation;
  const at = path.replaceAll(/\{\w+\}/g, 'x');
  const schema = requestBody?.content['application/json'].schema;
  const queries = parameters.filter((parameter: Node) => parameter.in === 'query');
  const id = path.indexOf('{');
  return [
    ...(schema
      ? [[`the body of ${operationId}`, inBody(at, (text) => JSON.stringify(filled(schema, text)))]]
      : []),
    ...queries.map(({ name }: Node) => [
      `${name} of ${operationId}`,
      inUrl('GET', `${at}?${name}=`),
    ]),
    ...(id < 0
      ? []
      : [[`the id of ${operationId}`, inUrl(method.toUpperCase(), path.slice(0, id))]]),
  ] as [string, Place][];
}

const DESCRIBED = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => placesOf(path, method, operation)),
);

const PLACES: Readonly<Record<string, Place>> = {
  'a body that is no JSON': inBody(SESSIONS, (text) => text),
  'a number': inBody(SESSIONS, (text) => `{"a":${text}}`),
  'a string before a key that stands twice': inBody(
    SESSIONS,
    (text) => `{"a":${JSON.stringify(text)},"b":1,"b":[1]}`,
  ),
  'a key': inBody(SESSIONS, (text) => JSON.stringify({ [text]: 1, metadata: { [text]: text } })),
  ...Object.fromEntries(HEADERS.map((name) => [name, inHeader('POST', SESSIONS, name)])),
  'a charset': inHeader('POST', SESSIONS, 'Content-Type', 'application/json; charset='),
  'an If-None-Match of the reference page': inHeader('HEAD', '/docs', 'If-None-Match'),
  'an encoding of the reference page': inHeader('HEAD', '/docs', 'Accept-Encoding', 'gzip'),
  'a preflight': inHeader('OPTIONS', SESSIONS, 'Origin'),
  'a path': inUrl('GET', '/'),
  ...Object.fromEntries(DESCRIBED),
};

/**
 * Returns runs of one unit: alone, before other text, and in two halves. Headers lose the blanks at
 * their ends.
 */
function runsOf(unit: string, size: number): string[] {
  const run = unit.repeat(size / unit.length);
  const half = run.slice(0, size / 2);
  const runs = [`${run}z`, `${run}""z`, `"a"${run}z`, `${half}.${half}e1`];
  // The smallest size finds exponential time before it would stop the test. The largest size finds
  // time that grows with length. All texts are sent in a size between.
  return size === Math.min(...LARGE) || size === Math.max(...LARGE) ? runs.slice(0, 1) : runs;
}

async function costOf(send: Place['send'], text: string): Promise<number> {
  const before = process.cpuUsage();
  await send(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function leastCost(send: Place['send'], text: string, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > enough; tries++)
    least = Math.min(least, await costOf(send, text));
  return least;
}

test.each(Object.entries(PLACES))(
  'text in %s costs no more time than its size',
  async (_, { sizes, send }) => {
    const slow: string[] = [];
    // The sizes ascend, so that cubic time is found before it would stop the test.
    for (const size of sizes.filter(() => slow.length === 0)) {
      // The size is in bytes, because a tab has two in JSON and the work of the client counts as
      // well.
      const controls = new Map<number, number>();
      for (const text of UNITS.flatMap((unit) => runsOf(unit, size))) {
        if (slow.length > 0) break;
        const bytes =
          sizes === LARGE ? size * Math.round(JSON.stringify(text).length / text.length) : size;
        const control = controls.get(bytes) ?? (await leastCost(send, 'x'.repeat(bytes), 0));
        controls.set(bytes, control);
        const cost = await leastCost(send, text, control + tooMuch);
        if (cost > control + tooMuch)
          slow.push(`${size} bytes of ${text.slice(0, 10)}…: ${cost} ms, not ${control}`);
      }
    }
    expect(slow).toEqual([]);
  },
);
