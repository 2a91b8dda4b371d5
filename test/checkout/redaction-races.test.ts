/**
 * A request at the moment of a redaction brings no detail back, whichever of the two PostgreSQL
 * runs first.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { type Reply, untilDecided } from '../support/client.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { PLANT, plantedSession, tablesWithPlant } from '../support/planted.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import type { Shop } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';

const service = useService();
const other = useOther(service);
const tenant = useShop(service);

afterEach(() => expectBalanced(service));

/** The session is closed and has a notify_url. */
interface Closed {
  readonly session: string;
  readonly payment: string;
  readonly refund: string;
  /** This refund failed, for a reason that names the customer. */
  readonly ended: string;
  readonly event: string;
}

async function closedSession(shop: Shop, isPaid: boolean): Promise<Closed> {
  const session = (await shop.post(SESSIONS, plantedSession('https://shop.example'))).body.id;
  if (!isPaid) await shop.expire(session);
  const [{ id: event }] = await shop.eventsOf(session);
  const endpoint = { url: 'https://endpoint.example', events: ['*'] };
  const { body: heard } = await shop.post('/v1/webhook_endpoints', endpoint, 'endpoint');
  await shop.post(`/v1/events/${event}/resend`, { webhook_endpoint: heard.id });
  const facts = { checkout_session: session, on_mismatch: 'record' };
  const payment = isPaid ? await shop.capture(facts) : '';
  const refund = isPaid ? (await shop.propose(payment, 100)).body.id : '';
  const ended = isPaid ? (await shop.propose(payment, 100)).body.id : '';
  if (isPaid) await shop.fail(ended, { reason: PLANT });
  return { session, payment, refund, ended, event };
}

/** Returns the statuses of two requests, of which the first is the first to wait for the row. */
async function inTurn(
  row: readonly [table: string, column: string, id: string],
  works: readonly [() => Promise<Reply>, () => Promise<Reply>],
): Promise<readonly number[]> {
  const [table, column, id] = row;
  const holder = await Holder.connect(service.databaseUrl);
  await holder.hold(`SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`, [uuidOf(id)]);
  const answers: Promise<Reply>[] = [];
  for (const work of works) {
    answers.push(untilDecided(work));
    await until(async () => (await waitingForLocks(service.sql)) >= answers.length);
  }
  await holder.commit();
  await holder.end();
  return (await Promise.all(answers)).map(({ status }) => status);
}

type Race = readonly [
  name: string,
  isPaid: boolean,
  row: (closed: Closed) => readonly [string, string, string],
  ask: (at: Shop, closed: Closed) => Promise<Reply>,
  status: number,
];

const thePayment = ({ payment }: Closed) => ['payments', 'id', payment] as const;
const RACES: readonly Race[] = [
  [
    'a payment that comes late',
    false,
    ({ session }) => ['checkout_sessions', 'id', session],
    (at, { session }) => at.record({ checkout_session: session, on_mismatch: 'record' }),
    201,
  ],
  ['a refund', true, thePayment, (at, { payment }) => at.propose(payment, 100), 201],
  [
    'a refund that was made elsewhere',
    true,
    thePayment,
    (at, { payment }) => at.recordRefund(payment, { provider_reference: payment }),
    201,
  ],
  ['the end of a refund', true, thePayment, (at, { refund }) => at.fail(refund), 200],
  [
    'the end of a refund that has ended',
    true,
    ({ ended }) => ['refunds', 'id', ended],
    (at, { ended }) => at.fail(ended),
    200,
  ],
  ['a hold', true, thePayment, (at, { payment }) => at.hold(payment, { amount: 1 }), 201],
  [
    'an event that is sent again',
    true,
    ({ event }) => ['webhook_deliveries', 'event_id', event],
    (at, { event }) => at.post(`/v1/events/${event}/resend`),
    200,
  ],
];

describe.each(MODES)('a redaction in %s mode', (mode) => {
  test.each(RACES)(
    'leaves no detail when it races with %s',
    async (_, isPaid, row, ask, status) => {
      const shop = await tenant.in(mode, service);
      for (const isFirst of [true, false]) {
        const closed = await closedSession(shop, isPaid);
        const redact = () => shop.post(`${SESSIONS}/${closed.session}/redact`);
        const asked = () => ask(shop.at(other), closed);
        const statuses = await inTurn(row(closed), isFirst ? [asked, redact] : [redact, asked]);
        expect(statuses).toEqual(isFirst ? [status, 200] : [200, status]);
        expect(await tablesWithPlant(service.sql)).toEqual([]);
      }
    },
  );
});
