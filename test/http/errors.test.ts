/** An error says how to go on: a program that follows it, and knows nothing else, succeeds. */
import { beforeAll, expect, test } from '@jest/globals';
import { post, send } from '../support/client.js';
import { createTenant, type Tenant } from '../support/service.js';
import { useService } from '../support/setup.js';

/** Far more than it takes; a program that goes round in circles ends here. */
const MAX_STEPS = 40;
/** What a program that knows no field tries when a type is wrong. */
const GUESSES: readonly unknown[] = ['x', 1, {}, []];

const service = useService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(service);
});

test('a program that only follows codes and allowed values creates a session, starting with an empty POST', async () => {
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
