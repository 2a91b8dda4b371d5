/** An idle process asks PostgreSQL by one statement whether its jobs have work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { Jobs } from '../../src/platform/jobs.js';
import { Declarations } from '../../src/platform/module-declaration.js';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther } from '../kit/setup.js';
import { scrape } from '../support/metrics.js';
import { until } from '../support/processes.js';
import { useReceiver, useTwin, useWebhooks } from '../support/setup.js';

const world = useWebhooks();
const other = useOther(world.service, { config: { webhookAllowPrivate: true } });
const twin = useTwin(world.service);
const receiver = useReceiver();

/** Waits until a look has found no work for any job. */
async function untilIdle(): Promise<void> {
  const { application } = world.service;
  const tell = jest.spyOn(application.get(Jobs), 'tell');
  const { jobWork } = application.get(Declarations);
  const isIdle = () => {
    const told = tell.mock.calls.slice(-jobWork.length);
    return told.length === jobWork.length && told.every(([, hasWork]) => !hasWork);
  };
  await until(isIdle, 'no job has work').finally(() => tell.mockRestore());
}

test('a job that declares its work is one that the service repeats', async () => {
  const values = await scrape(world.service);
  const unknown = world.service.application
    .get(Declarations)
    .jobWork.filter(
      ({ job }) => !(`tillgate_job_last_run_timestamp_seconds{name="${job}"}` in values),
    );
  expect(unknown).toEqual([]);
});

test('an idle process does not poll deliveries, and sends an event that another one left', async () => {
  const { application } = world.service;
  await untilIdle();
  const poll = jest.spyOn(application.get(WebhookScheduler), 'poll');
  await sleep(3_000);
  expect(poll).not.toHaveBeenCalled();
  await other.application.get(WebhookScheduler).stop(0);
  await twin.test.at(other).notified(receiver.url);
  await until(() => receiver.received.length === 1, 'the event is sent');
  poll.mockRestore();
});

test('an idle process expires a session of either mode, and counts its jobs as run meanwhile', async () => {
  await untilIdle();
  const name = 'tillgate_job_last_run_timestamp_seconds{name="expire_approvals"}';
  const before = await scrape(world.service);
  await until(
    async () => ((await scrape(world.service))[name] ?? 0) > (before[name] ?? 0),
    'the job counts as run',
  );
  for (const mode of MODES) {
    const { id } = (await twin[mode].createSession()).body;
    const { sql } = world.service;
    await sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);
    await until(async () => (await twin[mode].eventsOf(id)).length === 2, 'the session is expired');
  }
});

test('jobs look for their work themselves when the statement for all of them fails', async () => {
  const { sql } = world.service;
  await untilIdle();
  const { id } = (await twin.live.createSession()).body;
  await sql.query('ALTER TABLE late_payments RENAME TO missing');
  try {
    await sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);
    await until(async () => (await twin.live.eventsOf(id)).length === 2, 'the session is expired');
  } finally {
    await sql.query('ALTER TABLE missing RENAME TO late_payments');
  }
});
