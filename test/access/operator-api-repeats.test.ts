/** A write of the operator's API takes effect once, however often it is sent. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { TillgateOperator } from '../../client/src/operator.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce, describedFetch, get, post, type Reply, untilDecided } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { createOperatorKey } from '../support/tenants.js';

const ORGANIZATIONS = '/operator/v1/organizations';
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

const service = useService({
  log,
  config: { logRequests: 'errors', publicUrl: 'https://pay.example' },
});
const other = useOther(service);
let key: string;
let operator: TillgateOperator;

beforeAll(async () => {
  key = await createOperatorKey(service);
  operator = new TillgateOperator({ baseUrl: service.url, key, fetch: describedFetch });
});

const write = (
  path: string,
  body?: object,
  idempotencyKey?: string,
  { url } = service,
): Promise<Reply> =>
  post(url + path, { key, body, ...(idempotencyKey !== undefined && { idempotencyKey }) });

describe('a write that is sent again', () => {
  test('makes one organization of 1,000 creates of one reference at once', async () => {
    const replies = await atOnce(1000, (index) =>
      untilDecided(() =>
        write(
          ORGANIZATIONS,
          { name: 'Race', reference: 'race' },
          `race-${index}`,
          index % 2 ? other : service,
        ),
      ),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(999);
    const again = await write(ORGANIZATIONS, { name: 'Other', reference: 'race' });
    const nextStep = {
      type: 'read_resource',
      path: `${ORGANIZATIONS}/${replies[0]?.body.id}`,
      method: 'GET',
    };
    const errors = [['reference', 'invalid_value']] as const;
    expectError(again, { status: 422, code: 'organization_reference_reused', errors, nextStep });
  });

  test('keeps an idempotency key for one path only', async () => {
    const [one, two] = [
      await write(ORGANIZATIONS, { name: 'One' }, 'same'),
      await write(ORGANIZATIONS, { name: 'One' }, 'same'),
    ];
    expect(two.text).toBe(one.text);
    const another = await operator.organizations.create({ name: 'Another' });
    const made = await atOnce(2, (index) =>
      write(
        `${ORGANIZATIONS}/${index ? another.id : one.body.id}/api_keys`,
        { mode: 'test' },
        'same',
      ),
    );
    expect(made.map(({ body }) => body.organization)).toEqual([one.body.id, another.id]);
    expectError(await write(ORGANIZATIONS, { name: 'Two' }, 'same'), {
      status: 422,
      code: 'idempotency_key_reused',
      errors: [['Idempotency-Key', 'invalid_value']],
    });
  });

  test('replays a secret byte for byte, and keeps it out of all tables and the log', async () => {
    const { id } = await operator.organizations.create({ name: 'Secrets' });
    const secrets: string[] = [];
    const twice = async (path: string, body: object) => {
      const idempotencyKey = randomUUID();
      const first = await write(path, body, idempotencyKey);
      const second = await write(path, body, idempotencyKey, other);
      expect([second.text, second.status]).toEqual([first.text, first.status]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      secrets.push(first.body.key ?? first.body.secret);
      return first.body;
    };
    const made = await twice(`${ORGANIZATIONS}/${id}/api_keys`, { mode: 'live' });
    await twice(`/operator/v1/api_keys/${made.id}/rotate`, {});
    for (const overlap_seconds of [1, 2]) {
      await twice(`${ORGANIZATIONS}/${id}/webhook_secret/rotate`, { overlap_seconds });
    }
    const { rows } = await service.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const dumped = await Promise.all(
      rows.map(({ name }) => service.sql.query(`SELECT ${name}::text FROM ${name}`)),
    );
    const dump = JSON.stringify(dumped.map((table) => table.rows));
    expect(dump).toContain(made.prefix);
    for (const secret of [...secrets, key])
      expect(dump + JSON.stringify(lines)).not.toContain(secret);
  });

  test('keeps all changes of different fields that are made at once', async () => {
    const { id } = await operator.organizations.create({ name: 'Changes' });
    for (let round = 0; round < 20; round++) {
      const changes = {
        name: `Name ${round}`,
        contact: `${round}@a.example`,
        details_retention_days: round + 1,
      };
      const fields = Object.entries(changes);
      const change = ([name, value]: (typeof fields)[number]) =>
        untilDecided(() => write(`${ORGANIZATIONS}/${id}`, { [name]: value }));
      const replies = await Promise.all(fields.map(change));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await operator.organizations.retrieve(id)).toMatchObject(changes);
    }
  });

  // This test guards the lock of the key, under which a request sees that another one revoked it.
  test('revokes a key once that is revoked twice at once', async () => {
    const { id: organization } = await operator.organizations.create({ name: 'Revoked' });
    for (const mode of ['test', 'live']) {
      const { id } = (await write(`${ORGANIZATIONS}/${organization}/api_keys`, { mode })).body;
      const holder = await Holder.connect(service.databaseUrl);
      await holder.hold('SELECT FROM api_keys WHERE id = $1 FOR UPDATE', [uuidOf(id)]);
      const revoke = (at: typeof service) =>
        write(`/operator/v1/api_keys/${id}/revoke`, undefined, randomUUID(), at);
      const replies = [service, other].map(revoke);
      await until(async () => (await waitingForLocks(service.sql)) === 2);
      await holder.end();
      const [one, two] = await Promise.all(replies);
      expect(one).toMatchObject({ status: 200, body: { id, revoked_at: expect.any(Number) } });
      expect([two?.status, two?.text]).toEqual([200, one?.text]);
      const path = `/operator/v1/events?organization=${organization}&type=api_key.revoked`;
      const { body } = await get(service.url + path, { key });
      const revoked = body.data.filter(({ resource }: { resource: string }) => resource === id);
      expect(revoked).toHaveLength(1);
    }
  });
});
