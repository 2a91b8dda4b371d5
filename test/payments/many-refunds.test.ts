/**
 * A session with very many refunds loses its own details at once, and the texts about its refunds
 * in batches.
 */
import { afterEach, expect, test } from '@jest/globals';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { LaterDetailsSweeper } from '../../src/modules/payments/adapters/schedule/later-details-sweeper.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { post } from '../support/client.js';
import { command } from '../support/command.js';
import { Holder } from '../support/holder.js';
import { idleJobs } from '../support/idle-jobs.js';
import { copyEvent, copyHold, copyRefund } from '../support/many-refunds.js';
import { pathIn, visit } from '../support/page.js';
import { keepDetails, PLANT, plantedSession, tablesWithPlant } from '../support/planted.js';
import { serve, until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';

const SESSIONS = '/v1/checkout_sessions';
const MANY = 1_000;
const TOGETHER = 300;
const RECORDS_TOGETHER = 2_000;

const service = useService({
  config: { publicUrl: 'https://pay.example' },
  overrides: [idleJobs()],
});
const shop = useShop(service);

afterEach(() => expectBalanced(service));

async function paidSession() {
  const made = await shop.post(SESSIONS, plantedSession('https://shop.example'));
  const { id } = made.body as { id: string };
  return { id, page: pathIn(made.headers), payment: await shop.capture({ checkout_session: id }) };
}

/** Makes a paid session with refunds that failed, each with a description and a reason. */
async function sessionWithMany() {
  const session = await paidSession();
  const refund = { payment: session.payment, amount: 1, description: PLANT };
  const { id } = (await shop.post('/v1/refunds', refund)).body;
  await shop.fail(id, { reason: PLANT });
  await copyRefund(service.sql, id, MANY - 1);
  return session;
}

const redact = (session: string) => shop.post(`${SESSIONS}/${session}/redact`);
const forgetRest = () => service.application.get(LaterDetailsSweeper).forgetAll();

/**
 * Returns the refunds of a payment that still have texts, in the order in which they are redacted.
 */
async function toldOf(payment: string): Promise<readonly string[]> {
  const { rows } = await service.sql.query(
    'SELECT id FROM refunds WHERE payment_id = $1 AND description IS NOT NULL ORDER BY id',
    [uuidOf(payment)],
  );
  return rows.map(({ id }) => id);
}

/** Locks the refund, so that its batch cannot be redacted. */
async function holdRefund(id: string | undefined): Promise<Holder> {
  const holder = await Holder.connect(service.databaseUrl);
  const lock = 'SELECT FROM refunds WHERE organization_id = $1 AND id = $2 FOR UPDATE';
  await holder.hold(lock, [uuidOf(shop.organization), id]);
  return holder;
}

async function letGo(holder: Holder): Promise<void> {
  await holder.release();
  await holder.end();
}

test('redacts the session and its page at once, and the refunds with the job', async () => {
  const session = await sessionWithMany();
  const holder = await holdRefund((await toldOf(session.payment))[0]);
  const redacted = await redact(session.id);
  expect([redacted.status, redacted.body.description]).toEqual([200, null]);
  expect((await visit(service.url + session.page)).status).toBe(410);
  expect(JSON.stringify(await shop.eventsOf(session.id))).not.toContain(PLANT);
  expect(await toldOf(session.payment)).toHaveLength(MANY);
  const ofRefunds = ['events', 'idempotency_keys', 'refunds', 'webhook_deliveries'];
  expect(await tablesWithPlant(service.sql)).toEqual(ofRefunds);
  await letGo(holder);

  await forgetRest();
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test.each([
  ['holds', copyHold, TOGETHER],
  ['events', copyEvent, RECORDS_TOGETHER],
])(
  'leaves a part of what is recorded of one payment with many %s to the job',
  async (_, copy, most) => {
    const session = await paidSession();
    const { id } = (await shop.hold(session.payment, { amount: 1, reason: PLANT })).body;
    await shop.releaseHold(id);
    await copy(service.sql, id, most + 1);
    expect((await redact(session.id)).status).toBe(200);
    expect(await tablesWithPlant(service.sql)).toContain('webhook_deliveries');

    await forgetRest();
    expect(await tablesWithPlant(service.sql)).toEqual([]);
  },
);

test('redacts texts that come during a redaction, when the session is redacted again', async () => {
  const session = await sessionWithMany();
  const told = await toldOf(session.payment);
  await redact(session.id);
  const holder = await holdRefund(told.at(-1));
  const forgetting = forgetRest().catch(() => undefined);
  await until(async () => (await toldOf(session.payment)).length <= MANY - TOGETHER);
  const said = 'UPDATE refunds SET description = $2 WHERE id = $1';
  await service.sql.query(said, [told[0], PLANT]);
  await redact(session.id);
  await letGo(holder);
  await forgetting;
  await forgetRest();
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

/** Returns a signal that is aborted before its nth check, each of which stands before a batch. */
function stoppedBeforeCheck(number: number): AbortSignal {
  const stopping = new AbortController();
  const { signal } = stopping;
  const check = signal.throwIfAborted.bind(signal);
  let checks = 0;
  signal.throwIfAborted = () => {
    checks += 1;
    if (checks === number) stopping.abort();
    check();
  };
  return signal;
}

test('ends the job between two batches when the service stops, and continues it later', async () => {
  const session = await sessionWithMany();
  await redact(session.id);
  const caller = { organization: shop.organization, mode: 'test' } as const;
  const sweeper = service.application.get(LaterDetailsSweeper);
  await sweeper.forget(caller, stoppedBeforeCheck(2));
  expect(await toldOf(session.payment)).toHaveLength(MANY - TOGETHER);
  await sweeper.forget(caller, new AbortController().signal);
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test('passes over a session that retention cannot redact now, and comes back to it', async () => {
  const [large, small] = [await sessionWithMany(), await paidSession()];
  const past = `UPDATE checkout_sessions SET closed_at = now() - interval '2 days'`;
  await service.sql.query(past);
  await keepDetails(service, shop, 1);
  const retention = () => service.application.get(SessionSweeper).forgetAll();
  const holder = await Holder.connect(service.databaseUrl);
  const lock = 'SELECT FROM payments WHERE organization_id = $1 AND id = $2 FOR UPDATE';
  await holder.hold(lock, [shop.organization, large.payment].map(uuidOf));
  await expect(retention()).rejects.toMatchObject({ code: '55P03' });
  const described = async ({ id }: { id: string }) =>
    (await shop.get(`${SESSIONS}/${id}`)).body.description;
  expect([await described(large), await described(small)]).toEqual([PLANT, null]);
  await letGo(holder);

  await retention();
  await forgetRest();
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test('redacts on another instance the rest that a killed one left', async () => {
  const session = await sessionWithMany();
  await redact(session.id);
  const holder = await holdRefund((await toldOf(session.payment)).at(-1));
  const advance = (url: string) =>
    post(`${url}/v1/test_helpers/clock`, { key: shop.key, body: { advance_seconds: 60 } });
  const first = await serve(service.databaseUrl);
  const cutOff = advance(first.url).catch(() => undefined);
  await until(async () => (await toldOf(session.payment)).length <= MANY - TOGETHER);
  await first.stop('SIGKILL');
  await cutOff;
  expect((await toldOf(session.payment)).length).toBeGreaterThan(0);
  await letGo(holder);

  const second = await serve(service.databaseUrl);
  await advance(second.url);
  await second.stop();
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});

test('ends the command when everything is redacted', async () => {
  const session = await sessionWithMany();
  const environment = { DATABASE_URL: service.databaseUrl };
  const { stdout } = await command(['redact', '--session', session.id], environment);
  expect(JSON.parse(stdout)).toEqual({ redacted: 1 });
  expect(await tablesWithPlant(service.sql)).toEqual([]);
});
