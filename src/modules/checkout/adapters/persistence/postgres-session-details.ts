import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { keyOf } from '../../../../persistence/rows.js';
import { StoredTraces } from '../../../../persistence/traces.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { FIRST_UUID, idOf, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { type ClosedPage, type ClosedSession, SessionDetails } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID, type CheckoutSession } from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';
import { BY_ID, clock, columnsWith, fromRow, isOverdue, type Row, status } from './hot-checkout-sessions.js';

const OWN = 'organization_id = $1 AND mode = $2';
const LOCK = {
  name: 'checkout.lock',
  text: `SELECT ${columnsWith(status('$4'))}, NOT (${isOverdue('$4')}) AS "isStored" FROM checkout_sessions ${BY_ID} FOR UPDATE`,
};

/** The expression of the index. Whatever ended without a request ended at its expires_at. */
const CLOSED_AT = 'coalesce(closed_at, expires_at)';
const CLOSED = {
  name: 'checkout.closed',
  text: `SELECT id, ${CLOSED_AT}::text AS "closedAt", status = 'expired' AS "isExpired" FROM checkout_sessions
    WHERE ${OWN} AND status <> 'open' AND NOT is_redacted AND ${CLOSED_AT} <= ${clock('$3')}
      AND (${CLOSED_AT}, id) > ($4, $5) ORDER BY ${CLOSED_AT}, id LIMIT $6`,
};
const WITH_EMAIL = {
  name: 'checkout.with_email',
  text: `SELECT id FROM checkout_sessions WHERE ${OWN} AND lower(customer_email) = lower($3)
    AND (status <> 'open' OR ${isOverdue('$4')}) AND id > $5 ORDER BY id LIMIT 100`,
};
const LOCK_EXPIRED = {
  name: 'checkout.lock_expired',
  text: `SELECT id FROM checkout_sessions WHERE ${OWN} AND id = ANY ($3::uuid[]) AND status = 'expired' AND NOT is_redacted
    ORDER BY id FOR UPDATE SKIP LOCKED`,
};
const REMOVE = {
  name: 'checkout.remove',
  text: `DELETE FROM checkout_sessions WHERE ${OWN} AND id = ANY ($3::uuid[])`,
};

type Found = Pick<Row, 'id'>;

@Injectable()
export class PostgresSessionDetails extends SessionDetails {
  constructor(
    private readonly database: Database,
    private readonly traces: StoredTraces,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  async lock(caller: Caller, id: OwnId) {
    const values = [...scope(caller), uuidOf(id), await this.aheadSeconds(caller)];
    const [row] = await this.database.query<Row & { isStored: boolean }>(LOCK, values);
    if (!row) throw notFound('id');
    const { isStored, ...session } = row;
    return { session: fromRow(session), isStored };
  }

  async redact(caller: Caller, { state }: CheckoutSession): Promise<void> {
    const { id, status, successUrl, cancelUrl, returnUrl, notifyUrl, description, customerEmail } = state;
    const urls = { successUrl, cancelUrl, returnUrl, notifyUrl };
    const { metadata, lineItems, isRedacted } = state;
    const change = { status, ...urls, description, customerEmail, metadata, lineItems, isRedacted };
    await this.database.repository(CheckoutSessionRecord).update(keyOf(caller, id), change);
    await this.traces.clear(caller, [uuidOf(id)]);
  }

  async closed(caller: Caller, { days, limit, after }: ClosedPage): Promise<ClosedSession[]> {
    const seconds = (await this.aheadSeconds(caller)) - days * 86_400;
    const place = [after?.closedAt ?? '-infinity', after ? uuidOf(after.id) : FIRST_UUID];
    const values = [...scope(caller), seconds, ...place, limit];
    const rows = await this.database.read<ClosedSession>({ queue: CLOSED.name }, CLOSED, values);
    return rows.map((row) => ({ ...row, id: this.idOf(caller, row) }));
  }

  async withEmail(caller: Caller, email: string, after?: OwnId): Promise<OwnId[]> {
    const values = [...scope(caller), email, await this.aheadSeconds(caller), after ? uuidOf(after) : FIRST_UUID];
    return (await this.database.read<Found>(caller, WITH_EMAIL, values)).map((row) => this.idOf(caller, row));
  }

  async remove(caller: Caller, ids: readonly OwnId[]): Promise<readonly OwnId[]> {
    const locked = await this.database.query<Found>(LOCK_EXPIRED, [...scope(caller), ids.map(uuidOf)]);
    const all = locked.map(({ id }) => id);
    const kept = await this.traces.kept(caller, all);
    const gone = all.filter((id) => !kept.includes(id));
    await this.traces.remove(caller, gone);
    await this.database.query(REMOVE, [...scope(caller), gone]);
    return kept.map((id) => this.idOf(caller, { id }));
  }

  private idOf(caller: Caller, { id }: Found): OwnId {
    return ownId(caller, idOf(CHECKOUT_SESSION_ID, id, caller.mode));
  }

  private async aheadSeconds(caller: Caller): Promise<number> {
    return (await this.clock.at(caller)).ahead / 1000;
  }
}

function scope({ organization, mode }: Caller): readonly [string, string] {
  return [uuidOf(organization), mode];
}
