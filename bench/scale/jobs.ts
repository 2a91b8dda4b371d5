/** What runs without being asked: the sweeps, the webhook worker's look for what is due, and the operator's reconcile. */
import type { INestApplicationContext } from '@nestjs/common';
import type { Client as Sql } from 'pg';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { CheckoutSessions } from '../../src/modules/checkout/application/ports.js';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { Deliveries } from '../../src/modules/webhooks/application/ports.js';
import { reconcile } from '../../src/operator/cli/reconcile.js';
import { Database } from '../../src/persistence/database.js';
import { Jobs } from '../../src/platform/jobs.js';
import { StoredResponses } from '../../src/request/idempotency/stored-responses.js';
import { firstUuidAt } from '../../src/shared/id.js';
import type { Step } from './drawn.js';
import { openApplication } from './environment.js';

/** The sizes the service works in. */
const SESSION_BATCH = 100;
const ANSWER_BATCH = 1_000;
const EVENT_BATCH = 500;

const DAY = 86_400_000;
const BATCHES = 12;
/** The smallest step has no more rows for it. */
const BATCHES_OF_EVENTS = 2;
const BATCHES_OF_ANSWERS = 2;
/** The first page of a look has 500 deliveries. */
const BATCHES_OF_CLAIMS = 4;
/**
 * What has piled up for receivers that are down: as much whatever the step, because it grows with how long they have
 * been down and not with the table. A look passes by all of it.
 */
const DUE_DELIVERIES = 1_000;
const DEAD_RECEIVERS = ['down.example', 'slow.example'];

interface Job {
  readonly name: string;
  readonly batches: number;
  readonly run: () => Promise<unknown>;
}

export interface DueWork {
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

/** Makes some of everything due for the work. No service may run meanwhile: it would do the jobs itself. */
export async function openDueWork({ sql, url, step }: { sql: Sql; url: string; step: Step }): Promise<DueWork> {
  await makeDue(sql, step);
  // With the limits, and the plans, that these have in the service.
  const application = await openApplication(url, { timeLimits: true });
  // They would do what is due before it is measured.
  await application.get(Jobs).onModuleDestroy();
  const close = async () => {
    await application.close();
    await sql.query(`DELETE FROM webhook_deliveries WHERE receiver = ANY ($1)`, [DEAD_RECEIVERS]);
  };
  return { jobs: jobsOf(application, step), close };
}

function jobsOf(application: INestApplicationContext, step: Step): Job[] {
  const sessions = application.get(CheckoutSessions);
  const sweeper = application.get(SessionSweeper);
  const responses = application.get(StoredResponses);
  const events = application.get(EventSweeper);
  const deliveries = application.get(Deliveries);
  const now = Date.now();
  const look = async () => {
    const { found } = await deliveries.organizations(undefined);
    const looked = await Promise.all(found.map((organization) => deliveries.due(organization, undefined, now)));
    return looked.flatMap((one) => one.found);
  };
  const some = (count: number) => {
    if (count === 0) throw new Error('A sweep found nothing to do.');
  };
  return [
    {
      name: `settle ${SESSION_BATCH} expired sessions`,
      batches: BATCHES,
      run: async () => {
        const overdue = await sessions.overdue(SESSION_BATCH);
        some(overdue.length);
        await sweeper.expireThese(overdue, 0);
      },
    },
    {
      name: `remove ${ANSWER_BATCH} kept answers`,
      batches: BATCHES_OF_ANSWERS,
      run: async () => {
        const old = await responses.old(ANSWER_BATCH);
        some(old.length);
        await responses.remove(old);
      },
    },
    {
      name: `remove ${EVENT_BATCH} old events`,
      batches: BATCHES_OF_EVENTS,
      run: async () => {
        const before = firstUuidAt(step.end - 30 * DAY);
        const old = await events.find(before, 'test', 'checkout.session.created', EVENT_BATCH);
        some(old.length);
        await events.remove(old, before);
      },
    },
    {
      name: 'look for due webhooks',
      batches: BATCHES,
      run: look,
    },
    {
      name: 'look for due webhooks and claim 64',
      batches: BATCHES_OF_CLAIMS,
      run: async () => {
        const [due] = await look();
        if (!due) throw new Error('Nothing is due.');
        await deliveries.claim(due.organization, [{ due, take: 64 }], now, now + DAY);
      },
    },
  ];
}

/** Looks at everything there is: how long it takes may grow with it. */
export async function reconcileAll(application: INestApplicationContext): Promise<void> {
  const { isBalanced } = await reconcile(application.get(Database));
  if (!isBalanced) throw new Error('The loaded books do not balance.');
}

async function makeDue(sql: Sql, { end }: Step): Promise<void> {
  await sql.query(`
    UPDATE checkout_sessions SET expires_at = now() - interval '1 second' WHERE (organization_id, mode, id) IN (
      SELECT organization_id, mode, id FROM checkout_sessions WHERE status = 'open' AND expires_at > now()
      ORDER BY expires_at LIMIT ${BATCHES * SESSION_BATCH});
    UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE (organization_id, mode, operation, key) IN (
      SELECT organization_id, mode, operation, key FROM idempotency_keys
      WHERE operation LIKE '%/checkout_sessions' ORDER BY expires_at LIMIT ${BATCHES_OF_ANSWERS * ANSWER_BATCH});
    INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
      SELECT organization_id, mode, id, 'https://' || receiver || '/webhooks', receiver, 1,
        now() - interval '1 hour' * random()
      FROM (SELECT *, (ARRAY['${DEAD_RECEIVERS.join("', '")}'])[1 + get_byte(uuid_send(id), 15) % 2] AS receiver
        FROM events WHERE id < '${firstUuidAt(end)}' ORDER BY id DESC LIMIT ${DUE_DELIVERIES})
      AS late ON CONFLICT DO NOTHING;
    ANALYZE checkout_sessions, idempotency_keys, webhook_deliveries`);
}
