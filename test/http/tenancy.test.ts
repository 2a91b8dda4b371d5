/** Tenancy of each operation: reads by id see the organization in both modes, lists and writes one mode. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { REFUND_ID } from '../../src/modules/refunds/domain/refund.js';
import { newId } from '../../src/shared/id.js';
import { get, isReplay, post, type Reply, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { capture, createKey, createTenant, type Tenant } from '../support/service.js';
import { useService } from '../support/setup.js';

/** What the owner has, all of it made with one key. */
interface Resources {
  readonly session: string;
  readonly refund: string;
  readonly payment: string;
}

const MODES = ['test', 'live'] as const;
type Mode = (typeof MODES)[number];
const otherMode = (mode: Mode): Mode => (mode === 'test' ? 'live' : 'test');

const service = useService();
let owner: Tenant;
let stranger: Tenant;
let resources: Readonly<Record<Mode, Resources>>;

beforeAll(async () => {
  owner = await createTenant(service);
  stranger = await createTenant(service);
  resources = { test: await makeResources('test'), live: await makeResources('live') };
});

async function makeResources(mode: Mode): Promise<Resources> {
  const session = await create(owner[mode]);
  const payment = await capture(service, owner, { amount: 5000, mode });
  const refund = await propose(owner[mode], payment);
  return { session: session.body.id, refund: refund.body.id, payment };
}

const read = (key: string, path: string): Promise<Reply> => get(service.url + path, { key });
const list = (key: string, query = ''): Promise<Reply> => read(key, `/v1/checkout_sessions${query}`);
const create = (key: string, idempotencyKey?: string): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key, body: SMALLEST, ...(idempotencyKey && { idempotencyKey }) });
const propose = (key: string, payment: string, idempotencyKey?: string): Promise<Reply> =>
  post(`${service.url}/v1/refunds`, { key, body: { payment, amount: 1 }, ...(idempotencyKey && { idempotencyKey }) });

/** Every operation that takes an id: what it does with one, and how far it reaches. */
const BY_ID = [
  {
    operation: 'read session',
    param: 'id',
    reach: 'organization',
    run: (key: string, { session }: Resources) => read(key, `/v1/checkout_sessions/${session}`),
  },
  {
    operation: 'read refund',
    param: 'id',
    reach: 'organization',
    run: (key: string, { refund }: Resources) => read(key, `/v1/refunds/${refund}`),
  },
  {
    operation: 'read payment',
    param: 'id',
    reach: 'organization',
    run: (key: string, { payment }: Resources) => read(key, `/v1/payments/${payment}`),
  },
  {
    operation: 'propose refund',
    param: 'payment',
    reach: 'organization and mode',
    run: (key: string, { payment }: Resources) => propose(key, payment),
  },
] as const;

/** Who calls, seen from whoever owns what is asked for. */
const CALLERS = [
  { caller: 'the owner', key: (mode: Mode) => owner[mode], reached: ['organization', 'organization and mode'] },
  { caller: 'the owner’s other mode', key: (mode: Mode) => owner[otherMode(mode)], reached: ['organization'] },
  { caller: 'another organization', key: (mode: Mode) => stranger[mode], reached: [] },
  { caller: 'another organization’s other mode', key: (mode: Mode) => stranger[otherMode(mode)], reached: [] },
] as const;

const CASES = BY_ID.flatMap((operation) =>
  CALLERS.flatMap((caller) => MODES.map((mode) => ({ ...operation, ...caller, mode }))),
);

test.each(CASES)('$operation of a $mode one by $caller', async ({ param, reach, run, key, reached, mode }) => {
  const reply = await run(key(mode), resources[mode]);
  if ((reached as readonly string[]).includes(reach)) {
    expect([200, 201]).toContain(reply.status);
    return;
  }
  expectError(reply, { status: 404, code: 'not_found', errors: [[param, 'invalid_value']] });
  const unknown = await run(key(mode), nothing(mode));
  expect(withoutRequestId(reply)).toEqual(withoutRequestId(unknown));
});

/** Well-formed ids that nobody has. */
function nothing(mode: Mode): Resources {
  const [session, refund, payment] = [CHECKOUT_SESSION_ID, REFUND_ID, PAYMENT_ID].map((kind) =>
    newId(kind, Date.now(), mode),
  );
  return { session, refund, payment } as Resources;
}

/** All that a caller sees, but for what names this one request. */
function withoutRequestId({ status, headers, text, body }: Reply): unknown {
  const rest = [...headers].filter(([name]) => !['request-id', 'date'].includes(name));
  return { status, headers: rest, text: text.replace(body.request_id, '') };
}

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);

describe('the list', () => {
  test('holds exactly what was created with the organization and mode of the key', async () => {
    const [one, two] = [await createTenant(service), await createTenant(service)];
    const created = new Map<string, string[]>();
    for (const key of [one.test, one.live, two.test, two.live, one.test, two.live]) {
      const { body } = await create(key);
      created.set(key, [body.id, ...(created.get(key) ?? [])]);
    }
    for (const [key, newestFirst] of created) expect(idsOf(await list(key))).toEqual(newestFirst);
  });

  test.each(MODES)('of refunds and payments has those of the mode of its %s key', async (mode) => {
    const kept = [resources[mode].refund, resources[mode].payment];
    for (const [at, path] of ['/v1/refunds', '/v1/payments'].entries()) {
      const ids = idsOf(await read(owner[mode], path));
      expect(ids).toContain(kept[at]);
      expect(ids.filter((id) => !id.includes(`_${mode}_`))).toEqual([]);
    }
  });

  test('a cursor of another organization is only a position', async () => {
    const fresh = await createTenant(service);
    const older = [(await create(fresh.test)).body.id, (await create(fresh.test)).body.id];
    // All three name the same moment of the list: nobody's id, the stranger's and the other mode's.
    const cursors = [newId(CHECKOUT_SESSION_ID, Date.now(), 'test'), (await create(stranger.test)).body.id];
    cursors.push((await create(fresh.live)).body.id);
    await create(fresh.test);
    const pages = await Promise.all(cursors.map((cursor) => list(fresh.test, `?cursor=${cursor}`)));
    expect(idsOf(pages[0] as Reply)).toEqual(older.reverse());
    expect(pages.map(({ status, text }) => [status, text])).toEqual(cursors.map(() => [200, pages[0]?.text]));
  });
});

describe('a write', () => {
  test.each(MODES)('gets the organization and the mode of its %s key', async (mode) => {
    const { body } = await create(owner[mode]);
    expect([body.mode, body.id.slice(0, 8)]).toEqual([mode, `cs_${mode}_`]);
    expect((await read(owner[otherMode(mode)], `/v1/checkout_sessions/${body.id}`)).text).toBe(JSON.stringify(body));
    expect((await read(stranger[mode], `/v1/checkout_sessions/${body.id}`)).status).toBe(404);
  });

  test('that is refused reserves no amount', async () => {
    const payment = await capture(service, owner, { amount: 100, mode: 'live' });
    for (const key of [owner.test, stranger.test, stranger.live]) await propose(key, payment);
    expect((await read(owner.live, `/v1/payments/${payment}`)).body.amount_pending_refund).toBe(0);
  });
});

describe('an idempotency key', () => {
  test('is separate for each organization, mode and operation', async () => {
    const tokens = [owner.test, owner.live, stranger.test, stranger.live];
    const payments = await Promise.all([
      capture(service, owner, { amount: 100, mode: 'test' }),
      capture(service, owner, { amount: 100, mode: 'live' }),
      capture(service, stranger, { amount: 100, mode: 'test' }),
      capture(service, stranger, { amount: 100, mode: 'live' }),
    ]);
    const replies = await Promise.all(
      tokens.flatMap((key, index) => [create(key, 'shared'), propose(key, payments[index] as string, 'shared')]),
    );
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual(replies.map(() => [201, false]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(replies.length);
  });

  test('is shared by the API keys of an organization and mode', async () => {
    const first = await create(owner.test, 'rotated');
    const rotated = await createKey(service, { organization: owner.organization });
    const second = await create(rotated, 'rotated');
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });
});
