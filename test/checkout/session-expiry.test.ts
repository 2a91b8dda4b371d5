import { afterEach, expect, test } from '@jest/globals';
import { SessionSweeper } from '../../src/modules/checkout/adapters/schedule/session-sweeper.js';
import { Jobs } from '../../src/platform/jobs.js';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import type { Service } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, untilDecided } from '../support/client.js';
import { until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const PATH = '/v1/checkout_sessions';
const HOUR_MS = 3_600_000;

const service = useService();
/** The clock of this other instance is an hour late, but only the database's clock may count. */
const late = useOther(service, {
  clock: { monotonic: () => performance.now(), now: () => Date.now() - HOUR_MS },
});
const shop = useShop(service);

afterEach(() => expectBalanced(service));

/**
 * Moves the end of the session to a full second of the database's clock, this many seconds from
 * now.
 */
async function ending<Session extends { id: string }>(session: Session, seconds: number) {
  const { rows } = await service.sql.query(
    `UPDATE checkout_sessions SET expires_at = date_trunc('second', now()) + make_interval(secs => $2)
     WHERE id = $1 RETURNING extract(epoch FROM expires_at)::bigint AS expires_at`,
    [uuidOf(session.id), seconds],
  );
  return { ...session, expires_at: Number(rows[0].expires_at) };
}

async function databaseSeconds(): Promise<number> {
  const { rows } = await service.sql.query(
    'SELECT extract(epoch FROM clock_timestamp())::float8 AS now',
  );
  return rows[0].now;
}

test('completes or expires a session whose total is 0, when both are asked for at once', async () => {
  const price = { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } };
  for (let race = 0; race < 20; race++) {
    const { id } = (
      await shop.createSession({ currency: 'usd', line_items: [{ price_data: price }] })
    ).body;
    const both = [() => shop.bare(`${PATH}/${id}/complete`), () => shop.expire(id)];
    const answers = await Promise.all(both.map(untilDecided));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  }
});

test("shows expired from expires_at on in every read, list and filter, by the database's clock", async () => {
  const open = (await shop.createSession()).body;
  const at = shop.at(late);
  const listed = async (query: string) => (await at.get(`${PATH}${query}`)).body.data.length === 1;
  const looks: Record<string, () => Promise<string>> = {
    read: async () => (await at.get(`${PATH}/${open.id}`)).body.status,
    list: async () => (await at.get(PATH)).body.data[0].status,
    'filter open': async () => ((await listed('?status=open')) ? 'open' : 'expired'),
    'filter expired': async () => ((await listed('?status=expired')) ? 'expired' : 'open'),
  };
  const expectAll = async (status: string) => {
    for (const [name, look] of Object.entries(looks))
      expect([name, await look()]).toEqual([name, status]);
  };
  await expectAll('open');
  const session = await ending(open, 2);
  for (let now = 0; now < session.expires_at + 0.2; ) {
    for (const [name, look] of Object.entries(looks)) {
      const before = await databaseSeconds();
      const status = await look();
      now = await databaseSeconds();
      // A look that spans that very instant may say either.
      if (now < session.expires_at) expect([name, status]).toEqual([name, 'open']);
      if (before >= session.expires_at) expect([name, status]).toEqual([name, 'expired']);
    }
  }
  await expectAll('expired');
  expect((await at.get(`${PATH}/${session.id}`)).body).toEqual({ ...session, status: 'expired' });
});

test('expires overdue sessions in batches on two instances, each session exactly once', async () => {
  const DUE = 60;
  const BATCH = 7;
  await service.sql.query(`
    CREATE TABLE settled (id uuid);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO settled VALUES (NEW.id); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER UPDATE OF status ON checkout_sessions FOR EACH ROW EXECUTE FUNCTION note()`);
  const made = await Promise.all(Array.from({ length: DUE + 1 }, () => shop.createSession()));
  const [open, ...due] = made.map(({ body }) => uuidOf(body.id));
  await service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = ANY($1)', [
    due,
  ]);
  const sweep = ({ application }: Service) =>
    application.get(SessionSweeper).expire(undefined, BATCH);
  await Promise.all([sweep(service), sweep(late), sweep(service), sweep(late)]);
  // A sweep that finds only sessions which another sweep is settling ends before that one does. The
  // services run sweepers too.
  await until(async () => {
    const overdue = "SELECT FROM checkout_sessions WHERE status = 'open' AND expires_at <= now()";
    return (await service.sql.query(overdue)).rowCount === 0;
  }, 'every session is settled');
  const { rows } = await service.sql.query(
    'SELECT id FROM settled WHERE id = ANY($1) ORDER BY id',
    [[open, ...due]],
  );
  expect(rows.map(({ id }) => id.replaceAll('-', ''))).toEqual(
    due.map((id) => id?.replaceAll('-', '')).sort(),
  );
  const { body } = await shop.get(`${PATH}?status=open`);
  expect(body.data.map(({ id }: { id: string }) => uuidOf(id))).toEqual([open]);
});

test('expires overdue sessions of both modes, each with an event of its mode', async () => {
  const twin = await Shop.openTwin(service);
  const ids = await Promise.all(
    MODES.map(async (mode) => (await twin[mode].createSession()).body.id as string),
  );
  await service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = ANY ($1)', [
    ids.map(uuidOf),
  ]);
  await Promise.all(
    [service, late].map(({ application }) => application.get(SessionSweeper).expire()),
  );
  for (const [at, mode] of MODES.entries()) {
    await until(
      async () => (await twin[mode].eventsOf(ids[at] as string)).length === 2,
      'it is stored',
    );
    const [, expired] = await twin[mode].eventsOf(ids[at] as string);
    expect(expired).toMatchObject({
      type: 'checkout.session.expired',
      mode,
      data: { object: { status: 'expired' } },
    });
  }
});

// A sweeper finds sessions by their places in the table. Another row may be at a place by the time
// that it writes.
test.each([
  ['whose time has not come', 'test', 0],
  ['of live mode', 'live', 2 * 24 * HOUR_MS],
] as const)(
  'does not expire a session %s at the place of one of test mode',
  async (_, mode, ahead) => {
    const twin = await Shop.openTwin(service);
    const { id } = (await twin[mode].createSession()).body;
    const find = 'SELECT ctid AS place FROM checkout_sessions WHERE id = $1';
    const [{ place }] = (await service.sql.query(find, [uuidOf(id)])).rows;
    const { organization } = twin.test;
    const found = { organization, mode: 'test', place, id, expiresAt: '' } as const;
    await service.application.get(SessionSweeper).expireThese([found], ahead);
    expect((await twin[mode].get(`${PATH}/${id}`)).body.status).toBe('open');
  },
);

test('expires all other sessions when one cannot be expired', async () => {
  // The sweepers of the services would hold the rows.
  for (const { application } of [service, late]) await application.get(Jobs).onModuleDestroy();
  const BATCH = 3;
  const made = await atOnce(9, () => shop.createSession());
  const ids = made.map(({ body }) => body.id as string);
  // The first batch holds only such sessions, and later batches hold some of them.
  const poisoned = [0, 1, 2, 3, 7].map((at) => ids[at] as string);
  await service.sql.query(`
    CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cannot be expired'; END $$;
    CREATE TRIGGER refuse_update BEFORE UPDATE ON checkout_sessions FOR EACH ROW
      WHEN (NEW.status = 'expired' AND NEW.id IN ('${poisoned.map(uuidOf).join("', '")}'))
      EXECUTE FUNCTION refuse_update()`);
  const overdue = (id: string, at: number) =>
    service.sql.query(
      `UPDATE checkout_sessions SET expires_at = now() - make_interval(secs => $2) WHERE id = $1`,
      [uuidOf(id), 60 - at],
    );
  await Promise.all(ids.map(overdue));
  await expect(service.application.get(SessionSweeper).expire(undefined, BATCH)).rejects.toThrow(
    'cannot be expired',
  );
  const stored = 'SELECT id FROM checkout_sessions WHERE id = ANY ($1) AND status = $2 ORDER BY id';
  const open = (await service.sql.query(stored, [ids.map(uuidOf), 'open'])).rows;
  expect(open.map(({ id }) => id.replaceAll('-', ''))).toEqual(poisoned.map(uuidOf).sort());
  await service.sql.query('DROP FUNCTION refuse_update CASCADE');
  await service.application.get(SessionSweeper).expire();
  expect((await service.sql.query(stored, [ids.map(uuidOf), 'open'])).rows).toEqual([]);
});
