import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { keyOf } from '../../../../persistence/rows.js';
import { StoredTraces } from '../../../../persistence/traces.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { FIRST_UUID, idOf, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import { type ClosedPage, type ClosedSession, SessionDetails } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID, type CheckoutSession } from '../../domain/checkout-session.js';
import { NO_DETAILS } from '../../domain/session-terms.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';
import { clock, isOverdue } from './checkout-session-lists.js';

const OWN = 'organization_id = $1 AND mode = $2';
/** As the index has it. A session that expired by itself, or before this column was there, was closed at its expires_at. */
const CLOSED_AT = 'coalesce(closed_at, expires_at)';
const CLOSED = {
  name: 'checkout.closed',
  text: `SELECT id, ${CLOSED_AT}::text AS "closedAt", status = 'expired' AS "isExpired" FROM checkout_sessions
    WHERE ${OWN} AND status <> 'open' AND NOT is_redacted AND ${CLOSED_AT} <= ${clock('$3')}
      AND (${CLOSED_AT}, id) > ($4, $5) ORDER BY ${CLOSED_AT}, id LIMIT $6`,
};
const WITH_EMAIL = {
  name: 'checkout.with_email',
  text: `SELECT id FROM checkout_sessions WHERE ${OWN} AND (status <> 'open' OR ${isOverdue('$3')})
    AND lower(customer_email) = lower($4) AND id > $5 ORDER BY id LIMIT 100`,
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

@Injectable()
export class PostgresSessionDetails extends SessionDetails {
  constructor(
    private readonly database: Database,
    private readonly traces: StoredTraces,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  clear(unit: Unit, { state }: CheckoutSession): void {
    const { id, status, isRedacted, metadata, lineItems } = state;
    const change = { ...NO_DETAILS, status, isRedacted, metadata, lineItems };
    this.database.atCommit(unit, async (transaction) => {
      await transaction.manager.update(CheckoutSessionRecord, keyOf(unit, id), change);
      await this.traces.forget(transaction, unit, [uuidOf(id)], 'clear');
    });
  }

  async remove(unit: Unit, ids: readonly OwnId[]): Promise<readonly OwnId[]> {
    return this.database.inTransaction(unit, async (transaction) => {
      const locked = await transaction.query<{ id: string }>(LOCK_EXPIRED, [
        ...scope(unit),
        ids.map(uuidOf),
      ]);
      const all = locked.map(({ id }) => id);
      const kept = await this.traces.kept(transaction, unit, all);
      const gone = all.filter((id) => !kept.includes(id));
      await this.traces.forget(transaction, unit, gone, 'remove');
      await transaction.query(REMOVE, [...scope(unit), gone]);
      return kept.map((id) => idOfRow(unit, { id }));
    });
  }

  async closed(caller: Caller, { days, limit, after }: ClosedPage): Promise<ClosedSession[]> {
    const until = (await this.ahead(caller)) - days * 86_400;
    const values = [
      ...scope(caller),
      until,
      after?.closedAt ?? '-infinity',
      after ? uuidOf(after.id) : FIRST_UUID,
      limit,
    ];
    const rows = await this.database.read<ClosedSession>({ queue: CLOSED.name }, CLOSED, values);
    return rows.map((row) => ({ ...row, id: idOfRow(caller, row) }));
  }

  async withEmail(caller: Caller, email: string, after?: OwnId): Promise<OwnId[]> {
    const values = [
      ...scope(caller),
      await this.ahead(caller),
      email,
      after ? uuidOf(after) : FIRST_UUID,
    ];
    return (await this.database.read<{ id: string }>(caller, WITH_EMAIL, values)).map((row) =>
      idOfRow(caller, row),
    );
  }

  /** In seconds. */
  private async ahead(caller: Caller): Promise<number> {
    return (await this.clock.at(caller)).ahead / 1000;
  }
}

const scope = ({ organization, mode }: Caller) => [uuidOf(organization), mode];

function idOfRow(caller: Caller, { id }: { readonly id: string }): OwnId {
  return ownId(caller, idOf(CHECKOUT_SESSION_ID, id, caller.mode));
}
