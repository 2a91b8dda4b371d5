/** An error says how to go on: what it names can be called, and following it leads to success. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, post, type Reply, send } from '../support/client.js';
import { capture, createTenant, type Service, startService, type Tenant } from '../support/service.js';

/** Far more than it takes; a program that goes round in circles ends here. */
const MAX_STEPS = 40;
/** What a program that knows no field tries when a type is wrong. */
const GUESSES: readonly unknown[] = ['x', 1, {}, []];

let service: Service;
let tenant: Tenant;
let payment: string;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
  payment = await capture(service, tenant, { amount: 5000 });
});

afterAll(() => service.close());

const refund = (body: object): Promise<Reply> => post(`${service.url}/v1/refunds`, { key: tenant.test, body });
const read = (path: string, key: string | undefined = tenant.test): Promise<Reply> => get(service.url + path, { key });

const SOME_SESSION = 'cs_test_01jd0000000000000000000000';
const REFUSED: [code: string, call: () => Promise<Reply>, type: string, method: string, path: () => string][] = [
  [
    'not_found',
    () => read(`/v1/checkout_sessions/${SOME_SESSION}`),
    'list_resources',
    'GET',
    () => '/v1/checkout_sessions',
  ],
  ['not_found', () => read('/v1/nothing'), 'list_resources', 'GET', () => '/v1/checkout_sessions'],
  [
    'method_not_allowed',
    () => send('PUT', `${service.url}/v1/checkout_sessions`),
    'use_method',
    'POST',
    () => '/v1/checkout_sessions',
  ],
  [
    'invalid_param',
    () => read('/v1/checkout_sessions?limit=3&cursor=x'),
    'restart_list',
    'GET',
    () => '/v1/checkout_sessions?limit=3',
  ],
  ['invalid_param', () => refund({}), 'fix_request', 'POST', () => '/v1/refunds'],
  ['invalid_api_key', () => read('/v1/checkout_sessions', 'x'), 'authenticate', 'GET', () => '/v1/checkout_sessions'],
  ['refund_exceeds_remaining', () => refund({ payment, amount: 5001 }), 'lower_amount', 'POST', () => '/v1/refunds'],
  ['payment_not_refundable', refundAllTwice, 'read_resource', 'GET', () => `/v1/payments/${payment}`],
];

async function refundAllTwice(): Promise<Reply> {
  await refund({ payment, amount: 5000 });
  return refund({ payment, amount: 1 });
}

test.each(REFUSED)('%s names a next step that is there (%#)', async (code, call, type, method, path) => {
  const { body } = await call();
  expect(body.error).toMatchObject({ code, next_step: { type, method, path: path() } });
  const next = await send(method, service.url + path(), { key: tenant.test });
  if (method === 'GET') expect(next.status).toBe(200);
  else expect([404, 405]).not.toContain(next.status);
});

test('a program that knows only codes and allowed values gets from an empty POST to a session', async () => {
  const body = {};
  let reply = await post(`${service.url}/v1/checkout_sessions`, { key: tenant.test });
  for (let step = 0; reply.status === 400 && step < MAX_STEPS; step++) {
    for (const entry of reply.body.error.errors) mend(body, entry);
    const { method, path } = reply.body.error.next_step;
    const idempotencyKey = crypto.randomUUID();
    reply = await send(method, service.url + path, { key: tenant.test, body, idempotencyKey });
  }
  expect(reply.body).toMatchObject({ object: 'checkout.session' });
});

interface Entry {
  readonly param: string;
  readonly code: string;
  readonly allowed: readonly string[];
}

/** Changes the body as one entry of `errors` asks. */
function mend(body: object, { param, code, allowed }: Entry): void {
  const steps = param.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: the program does not know what it is building.
  const parent = steps.reduce<any>((at, step) => {
    at[step] ??= {};
    return at[step];
  }, body);
  if (code === 'unknown_field') delete parent[last];
  else if (allowed.length > 0) parent[last] = allowed[0];
  else if (code === 'required') parent[last] = GUESSES[0];
  else if (code === 'too_short') parent[last].push({});
  else if (code === 'invalid_type') parent[last] = GUESSES[GUESSES.findIndex((it) => sameType(it, parent[last])) + 1];
  else throw new Error(`Nothing says how to mend ${param}, which is ${code}.`);
}

function sameType(one: unknown, other: unknown): boolean {
  return typeof one === typeof other && Array.isArray(one) === Array.isArray(other);
}
