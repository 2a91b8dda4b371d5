/**
 * Measures the jobs for which nobody waits: the sweeps, and the search of the webhook worker for
 * due deliveries.
 */
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Client as Sql } from 'pg';
import { AppModule } from '../../src/app.module.js';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { CheckoutSessions } from '../../src/modules/checkout/application/ports.js';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { DeliveryQueue } from '../../src/modules/webhooks/application/ports.js';
import { readConfig } from '../../src/platform/config.js';
import { Jobs } from '../../src/platform/jobs.js';
import { StoredResponses } from '../../src/request/idempotency/stored-responses.js';
import { firstUuidAt } from '../../src/shared/id.js';
import type { Step } from './drawn.js';
import type { Loaded } from './loaded.js';

/** The service works in batches of these sizes. */
const SESSION_BATCH = 100;
const ANSWER_BATCH = 1_000;
const EVENT_BATCH = 500;

const DAY = 86_400_000;
/**
 * So many deliveries wait for receivers that are down. The number is the same in every step,
 * because it grows with the time for which they are down and not with the table. A search skips all
 * of them.
 */
const DUE_DELIVERIES = 1_000;
const DEAD_RECEIVERS = ['down.example', 'slow.example'];

type Work = Readonly<Record<string, () => Promise<void>>>;

/**
 * Makes some rows of each kind due for the work. No service may run meanwhile, because it would do
 * the jobs itself.
 */
export async function withDueWork(
  { sql, url, step }: Loaded,
  use: (work: Work) => Promise<void>,
): Promise<void> {
  await makeDue(sql, step);
  // The jobs have the limits and the plans that they have in the service.
  const module = AppModule.register(readConfig({}), url, { timeLimits: true });
  const application = await NestFactory.createApplicationContext(module, {
    logger: ['error'],
    abortOnError: false,
  });
  try {
    // The jobs would do the due work before it is measured.
    await application.get(Jobs).onModuleDestroy();
    await use(workOf(application, step));
  } finally {
    await application.close();
  }
}

function workOf(application: INestApplicationContext, step: Step): Work {
  const sessions = application.get(CheckoutSessions);
  const responses = application.get(StoredResponses);
  const events = application.get(EventSweeper);
  const deliveries = application.get(DeliveryQueue);
  const some = (count: number) => {
    if (count === 0) throw new Error('A sweep found nothing to do.');
  };
  return {
    [`settle ${SESSION_BATCH} expired sessions`]: async () => {
      const overdue = await sessions.overdue(SESSION_BATCH);
      some(overdue.length);
      await application.get(SessionSweeper).expireThese(overdue, 0);
    },
    [`remove ${ANSWER_BATCH} kept answers`]: async () => {
      const old = await responses.old(ANSWER_BATCH);
      some(old.length);
      await responses.remove(old);
    },
    [`remove ${EVENT_BATCH} old events`]: async () => {
      const before = firstUuidAt(step.end - 30 * DAY);
      const old = await events.find(before, 'test', 'checkout.session.created', EVENT_BATCH);
      some(old.length);
      await events.remove(old, before);
    },
    'look for due webhooks and claim 64': async () => {
      const now = Date.now();
      const { found } = await deliveries.organizations(undefined);
      const looked = await Promise.all(
        found.map((organization) => deliveries.due(organization, undefined, now)),
      );
      const [due] = looked.flatMap((one) => one.found);
      if (!due) throw new Error('Nothing is due.');
      await deliveries.claim(due.organization, [{ due, take: 64 }], now, now + DAY);
    },
  };
}

async function makeDue(sql: Sql, { end }: Step): Promise<void> {
  await sql.query(`
    UPDATE checkout_sessions SET expires_at = now() - interval '1 second' WHERE (organization_id, mode, id) IN (
      SELECT organization_id, mode, id FROM checkout_sessions WHERE status = 'open' AND expires_at > now()
      ORDER BY expires_at LIMIT ${SESSION_BATCH});
    UPDATE idempotency_keys SET expires_at = now() - interval '1 hour' * random() WHERE (organization_id, mode, operation, key) IN (
      SELECT organization_id, mode, operation, key FROM idempotency_keys
      WHERE operation LIKE '%/checkout_sessions' ORDER BY expires_at LIMIT ${ANSWER_BATCH});
    INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
      SELECT organization_id, mode, id, 'https://' || receiver || '/webhooks', receiver, 1,
        now() - interval '1 hour' * random()
      FROM (SELECT *, (ARRAY['${DEAD_RECEIVERS.join("', '")}'])[1 + get_byte(uuid_send(id), 15) % 2] AS receiver
        FROM events WHERE id < '${firstUuidAt(end)}' ORDER BY id DESC LIMIT ${DUE_DELIVERIES})
      AS late ON CONFLICT DO NOTHING;
    ANALYZE checkout_sessions, idempotency_keys, webhook_deliveries`);
}
