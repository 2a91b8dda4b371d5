/** The trail of keys and settings while several instances write, and when one is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { OPERATOR_EVENT_ID } from '../../src/modules/access/domain/operator-event.js';
import { newId, uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce, get, post, type Reply, untilDecided } from '../support/client.js';
import { Holder } from '../support/holder.js';
import { useProcesses } from '../support/setup.js';
import { createOperatorKey } from '../support/tenants.js';

const PATH = '/operator/v1/events';

const service = useService();
const other = useOther(service);
const processes = useProcesses(service);
let operator: string;

beforeAll(async () => {
  operator = await createOperatorKey(service, 'Sign-up');
  // The reader of the first test begins after this event.
  const body = { name: 'Acme' };
  await post(`${service.url}/operator/v1/organizations`, { key: operator, body });
});

const ask = (path: string): Promise<Reply> => get(service.url + path, { key: operator });

test('a reader that follows while two instances write misses no event', async () => {
  const start = (await ask(`${PATH}?limit=1`)).body.data[0].id;
  const seen: string[] = [];
  let isWriting = true;
  const reading = (async () => {
    for (let cursor = start, isLast = false; !isLast; ) {
      isLast = !isWriting;
      const { body } = await ask(`${PATH}?order=asc&limit=7&cursor=${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor ?? cursor;
      if (body.has_more) isLast = false;
      await sleep(1);
    }
  })();
  await atOnce(8, async (writer) => {
    const { url } = writer % 2 === 0 ? service : other;
    for (let turn = 0; turn < 15; turn++)
      await untilDecided(() =>
        post(`${url}/operator/v1/organizations`, {
          key: operator,
          body: { name: `Writer ${writer}, turn ${turn}` },
          idempotencyKey: `${writer} ${turn}`,
        }),
      );
  });
  isWriting = false;
  await reading;
  const { rows } = await service.sql.query(
    `SELECT id FROM operator_events WHERE position > (SELECT position FROM operator_events WHERE id = $1)
     ORDER BY position`,
    [uuidOf(start)],
  );
  expect(rows).toHaveLength(8 * 15);
  expect(seen.map(uuidOf)).toEqual(rows.map(({ id }) => id.replaceAll('-', '')));
});

test('a reader stops before an event that is not committed, and then reads it before later ones', async () => {
  const [last] = (await ask(`${PATH}?limit=1`)).body.data;
  const follow = async () =>
    (await ask(`${PATH}?order=asc&cursor=${last.id}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );
  const held = newId(OPERATOR_EVENT_ID, Date.now());
  const holder = await Holder.connect(service.databaseUrl);
  await holder.hold(
    `INSERT INTO operator_events (id, type, organization_id, resource, via, key_id, holder, changes)
     SELECT $1, type, organization_id, resource, via, key_id, holder, changes
     FROM operator_events WHERE id = $2`,
    [uuidOf(held), uuidOf(last.id)],
  );
  const body = { name: 'Later' };
  await post(`${service.url}/operator/v1/organizations`, { key: operator, body });
  const later = (await ask(`${PATH}?limit=1`)).body.data[0].id;
  expect(await follow()).toEqual([]);
  await holder.commit();
  await holder.end();
  expect(await follow()).toEqual([held, later]);
});

test('after kill -9 nothing has changed without its line, and no line is without its change', async () => {
  let killed = 0;
  for (const server of processes) {
    const writing = atOnce(8, async (writer) => {
      for (let turn = 0; ; turn++) {
        const body = { name: `Killed ${killed}, writer ${writer}, turn ${turn}` };
        const made = await post(`${server.url}/operator/v1/organizations`, {
          key: operator,
          body,
        }).catch(() => undefined);
        if (made === undefined) return;
      }
    });
    await sleep(1_000);
    await server.stop('SIGKILL');
    killed += 1;
    await writing;
  }
  const { rows } = await service.sql.query(
    `SELECT count(organization.id)::int AS organizations, count(event.id)::int AS events
     FROM (SELECT * FROM organizations WHERE name LIKE 'Killed%') AS organization
     FULL JOIN (SELECT * FROM operator_events
       WHERE type = 'organization.created' AND changes::text LIKE '%Killed%') AS event
     ON event.organization_id = organization.id`,
  );
  expect(rows[0].organizations).toBeGreaterThan(0);
  expect(rows[0].events).toBe(rows[0].organizations);
  const { rows: alone } = await service.sql.query(
    `SELECT FROM organizations WHERE name LIKE 'Killed%' AND id NOT IN (
       SELECT organization_id FROM operator_events WHERE organization_id IS NOT NULL)`,
  );
  expect(alone).toEqual([]);
});
