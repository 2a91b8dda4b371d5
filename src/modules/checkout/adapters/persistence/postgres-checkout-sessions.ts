import { Injectable } from '@nestjs/common';
import { insertInto, type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import { byOrganization, type Place } from '../../../../platform/database/places.js';
import type { Part, Statement } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, idRange, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import {
  type CheckoutSessionFilter,
  CheckoutSessions,
  type OverdueSessions,
  type OwnedCheckoutSession,
} from '../../application/ports.js';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSession,
  type CheckoutSessionSummary,
  type SessionStatus,
} from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';

const insert = insertInto('checkout.add', CheckoutSessionRecord);

const columnsWith = (status: string) =>
  selectionOf(CheckoutSessionRecord, { status, expiresAt: 'extract(epoch FROM expires_at)::bigint' });

const SUMMARY = ['id', 'mode', 'status', 'paymentStatus', 'currency', 'amountTotal'] as const;

const BY_ID = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';
const NOTIFY_URL = {
  name: 'checkout.notify_url',
  text: `SELECT ${selectionOf(CheckoutSessionRecord, {}, ['notifyUrl'])} FROM checkout_sessions ${BY_ID}`,
};

const isOverdue = (ahead: string) =>
  `status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs => ${ahead})`;
const OVERDUE = {
  name: 'checkout.overdue',
  text: `/* every organization: overdue sessions of all of them expire */
    SELECT organization_id AS organization, ctid AS place FROM checkout_sessions
    WHERE ${isOverdue('0')} ORDER BY expires_at LIMIT $1`,
};
const OVERDUE_AHEAD = {
  name: 'checkout.overdue_ahead',
  text: `SELECT organization_id AS organization, ctid AS place FROM checkout_sessions
    WHERE organization_id = $2 AND mode = 'test' AND ${isOverdue('$3')} ORDER BY expires_at LIMIT $1`,
};
/** SKIP LOCKED: several instances sweep at once, and a session that is being paid stays open for its payment. */
const EXPIRE = {
  name: 'checkout.expire_overdue',
  text: `WITH expired AS (
      UPDATE checkout_sessions SET status = 'expired' WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT ctid FROM checkout_sessions WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND ${isOverdue('$3')}
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING *
    ) SELECT ${columnsWith('status')} FROM expired`,
};

const OWN = 'organization_id = $1 AND mode = $2';
const RANGE = 'id >= $3 AND id < $4';
const NEWEST = 'ORDER BY id DESC LIMIT $5';

/**
 * The statements that compare with the current time, which `clock` gives in SQL: the database's, or for a moved test clock the
 * database's plus the seconds in the last value. There is one statement for each filter, so that each has a plan of its own:
 * it reads an index backwards and sorts nothing.
 */
function statementsBy(clock: (clock: string, last: number) => string, suffix: string) {
  const statement = (name: string, text: string): Statement => ({ name: `checkout.${name}${suffix}`, text });
  // An open session past its expires_at is expired, even before the sweeper has stored that.
  const status = (last: number) => `CASE WHEN status = 'open' AND expires_at <= ${clock('statement_timestamp()', last)}
    THEN 'expired' ELSE status END`;
  const summary = `SELECT ${selectionOf(CheckoutSessionRecord, { status: status(6) }, SUMMARY)}
    FROM checkout_sessions WHERE ${OWN}`;
  // The sessions stored with this status. A range of (status, id), so that the planner uses the index on both: by id alone, it
  // would read a day of open sessions before the newest expired one.
  const stored = (status: SessionStatus, rest = '') => `${summary}
    AND (status, id) >= ('${status}', $3) AND (status, id) < ('${status}', $4) ${rest}
    ORDER BY checkout_sessions.status DESC, id DESC LIMIT $5`;
  return {
    find: statement('find', `SELECT ${columnsWith(status(4))} FROM checkout_sessions ${BY_ID}`),
    close: statement(
      'close',
      `UPDATE checkout_sessions SET status = $4, payment_status = $5 ${BY_ID}
        AND status = 'open' AND expires_at > ${clock('statement_timestamp()', 6)}`,
    ),
    lists: {
      all: statement('list', `${summary} AND ${RANGE} ${NEWEST}`),
      open: statement('list_open', stored('open', `AND expires_at > ${clock('statement_timestamp()', 6)}`)),
      complete: statement('list_complete', stored('complete')),
      // The sessions stored as expired, and the few that the sweeper has not stored yet. `late` finds those by expires_at,
      // because in the order of IDs they come after all open sessions.
      expired: statement(
        'list_expired',
        `WITH late AS MATERIALIZED (${summary} AND status = 'open' AND expires_at <= ${clock('now()', 6)})
          (${stored('expired')}) UNION ALL
          (SELECT * FROM late WHERE ${RANGE} ${NEWEST}) ${NEWEST}`,
      ),
    },
  };
}

const BY_DATABASE = statementsBy((clock) => clock, '');
const AHEAD = statementsBy((clock, last) => `${clock} + make_interval(secs => $${last})`, '_ahead');

@Injectable()
export class PostgresCheckoutSessions extends CheckoutSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  add(caller: Caller, { state }: CheckoutSession): Part {
    const organizationId = uuidOf(caller.organization);
    return insert({ organizationId, ...state, id: uuidOf(state.id), expiresAt: new Date(state.expiresAt * 1000) });
  }

  close(caller: Caller, { state: { id, status, paymentStatus } }: CheckoutSession): Part {
    const { close, ahead } = this.statementsFor(caller);
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), status, paymentStatus, ...ahead];
    return { name: close.name, sql: close.text, values, rows: 1 };
  }

  async find(caller: Caller, id: string): Promise<CheckoutSession | undefined> {
    const { organization } = caller;
    const { find, ahead } = this.statementsFor({ organization, mode: modeOf(id) });
    const [row] = await this.database.read<Row>(find, [uuidOf(organization), modeOf(id), uuidOf(id), ...ahead]);
    return row && fromRow(row);
  }

  async notifyUrl(caller: Caller, id: string): Promise<string | null> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = await this.database.read<Pick<Row, 'notifyUrl'>>(NOTIFY_URL, values);
    return row?.notifyUrl ?? null;
  }

  async get(caller: Caller, id: string, param: string): Promise<CheckoutSession> {
    const session = modeOf(id) === caller.mode ? await this.find(caller, id) : undefined;
    if (!session) throw notFound(param);
    return session;
  }

  async overdue(limit: number, clock?: MovedClock): Promise<OverdueSessions[]> {
    const found = clock
      ? await this.database.read<Place>(OVERDUE_AHEAD, [limit, uuidOf(clock.organization), secondsOf(clock)])
      : await this.database.read<Place>(OVERDUE, [limit]);
    return [...byOrganization(found)].map(([organization, places]) => {
      return { organization: idOf(ORGANIZATION_ID, organization), ahead: clock?.ahead ?? 0, places };
    });
  }

  async expire(overdue: OverdueSessions): Promise<OwnedCheckoutSession[]> {
    const { organization, places } = overdue;
    const rows = await this.database.query<Row>(EXPIRE, [uuidOf(organization), places, secondsOf(overdue)]);
    return rows.map((row) => ({ caller: { organization, mode: row.mode }, session: fromRow(row) }));
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]> {
    const { status, limit } = filter;
    const { lists, ahead } = this.statementsFor(caller);
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1, ...ahead];
    const rows = await this.database.read<SummaryRow>(lists[status ?? 'all'], values);
    return rows.map((row) => ({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) }));
  }

  /** The statements for the caller's clock, and their last value if they take one. */
  private statementsFor(caller: Caller) {
    const moment = this.clock.at(caller);
    return moment.ahead === 0 ? { ahead: [], ...BY_DATABASE } : { ahead: [secondsOf(moment)], ...AHEAD };
  }
}

const secondsOf = ({ ahead }: Pick<MovedClock, 'ahead'>): number => ahead / 1000;

type Row = Selected<CheckoutSessionRecord, { expiresAt: number }>;
type SummaryRow = Pick<Row, (typeof SUMMARY)[number]>;

function fromRow(row: Row): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) });
}
