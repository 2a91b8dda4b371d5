import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { FIRST_UUID, idOf, LAST_UUID, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { LedgerUnit } from '../../../../shared/unit.js';
import { Claims } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';
import type { Turn } from '../../domain/turns.js';
import { PAYABLE, type RefundRecord } from './refund.record.js';
import { COLUMNS, fromRow } from './typeorm-refunds.js';

const LOCKED = `${COLUMNS}, statement_timestamp() AS now`;

/** isClaimable() in SQL. The first condition is a range of refunds_claim_turns. */
const CLAIMABLE = `${PAYABLE} AND claimable_at <= statement_timestamp()
  AND (claim_expires_at IS NULL OR claim_expires_at <= statement_timestamp())`;

/** Each look walks over so many organizations at most, and the next one goes on behind them. */
const MOST_ORGANIZATIONS = 1000;

/** The first payable refund of the next organization: one step in the index. */
const next = (
  after: string,
  place: string,
) => `SELECT organization_id, claimable_at, ${place} AS place FROM refunds
  WHERE mode = $1 AND ${PAYABLE} AND organization_id > ${after} AND organization_id <= $3
  ORDER BY organization_id, claimable_at LIMIT 1`;
const WAITING = {
  name: 'refunds.waiting',
  text: `/* every organization: claims take refunds of all of them by turns */ WITH RECURSIVE owner AS (
      (${next('$2', '1')}) UNION ALL
      SELECT following.* FROM owner CROSS JOIN LATERAL (${next('owner.organization_id', 'owner.place + 1')}) AS following
      WHERE owner.place < ${MOST_ORGANIZATIONS}
    )
    SELECT organization_id AS organization, place = ${MOST_ORGANIZATIONS} AS "isEnd", (SELECT count(*) FROM (SELECT FROM refunds
      WHERE organization_id = found.organization_id AND mode = $1 AND ${CLAIMABLE} LIMIT $4 - found.others) AS counted)::integer AS refunds
    FROM (SELECT *, count(*) OVER () - 1 AS others FROM (SELECT organization_id, place FROM owner
      WHERE claimable_at <= statement_timestamp() OR place = ${MOST_ORGANIZATIONS} LIMIT $4) AS first) AS found ORDER BY place`,
};
/** Citus has no recursive queries over several machines. */
const WAITING_ANYWHERE = {
  name: 'refunds.waiting_anywhere',
  text: `/* every organization: claims take refunds of all of them by turns */
    SELECT organization_id AS organization, false AS "isEnd", least(count(*), $4)::integer AS refunds FROM refunds
    WHERE mode = $1 AND ${CLAIMABLE} AND organization_id > $2 AND organization_id <= $3
    GROUP BY organization_id ORDER BY organization_id LIMIT $4`,
};

const NEXT = (most: string) =>
  `ORDER BY refunds.claimable_at, refunds.id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED`;
const LOCK = {
  name: 'refunds.lock_claimable',
  text: `SELECT ${LOCKED} FROM refunds
    WHERE organization_id = $1 AND mode = $2 AND ${CLAIMABLE} ${NEXT('$3')}`,
};
const LOCK_ALL = {
  name: 'refunds.lock_claimable_of_all',
  text: `/* every organization: each has its turn in a claim */
    SELECT locked.* FROM unnest($1::uuid[], $3::integer[]) AS turn (organization_id, refunds) CROSS JOIN LATERAL (
      SELECT ${LOCKED} FROM refunds
      WHERE organization_id = turn.organization_id AND mode = $2 AND ${CLAIMABLE} ${NEXT('turn.refunds')}) AS locked`,
};

const store = (organization: string, more: { values: string; column: string }) => `UPDATE refunds
  SET claim_number = claim.number, lapses = claim.lapses, claim_expires_at = claim.expires_at,
    claimable_at = claim.claimable_at
  FROM unnest($3::uuid[], $4::integer[], $5::integer[], $6::timestamptz[], $7::timestamptz[]${more.values})
    AS claim (id, number, lapses, expires_at, claimable_at${more.column})
  WHERE refunds.organization_id = ${organization} AND refunds.mode = $2 AND refunds.id = claim.id`;
const STORE = { name: 'refunds.claim', text: store('$1', { values: '', column: '' }) };
const ALL = store('claim.organization_id', { values: ', $1::uuid[]', column: ', organization_id' });
const STORE_ALL = {
  name: 'refunds.claim_of_all',
  text: `/* every organization: each has its turn in a claim */ ${ALL}`,
};

interface LockedRow extends RefundRecord {
  readonly now: Date;
}

interface WaitingRow extends Turn {
  /** Whether the walk ended here, where it may have found nothing. */
  readonly isEnd: boolean;
}

@Injectable()
export class PostgresClaims extends Claims {
  constructor(private readonly database: Database) {
    super();
  }

  async waiting(unit: LedgerUnit, last: string, limit: number): Promise<readonly Turn[]> {
    const statement = this.database.isDistributed ? WAITING_ANYWHERE : WAITING;
    const between = (after: string, until: string) =>
      this.database.query<WaitingRow>(unit, statement, [unit.mode, after, until, limit]);
    const rows = await between(uuidOf(last), LAST_UUID);
    if (rows.length < limit && !rows.at(-1)?.isEnd)
      rows.push(...(await between(FIRST_UUID, uuidOf(last))));
    return rows.map(({ organization, refunds }) => ({
      organization: idOf(ORGANIZATION_ID, organization),
      refunds,
    }));
  }

  async lock(unit: LedgerUnit, turns: readonly Turn[]) {
    const { mode } = unit;
    const rows: LockedRow[] = [];
    for (const group of this.groups(turns)) {
      const owners = group.map(({ organization }) => uuidOf(organization));
      const most = group.map(({ refunds }) => refunds);
      rows.push(
        ...(group.length === 1
          ? await this.database.query<LockedRow>(unit, LOCK, [owners[0], mode, most[0]])
          : await this.database.query<LockedRow>(unit, LOCK_ALL, [owners, mode, most])),
      );
    }
    return {
      refunds: rows.map(({ now, ...row }) => fromRow(row)),
      now: rows[0]?.now.getTime() ?? 0,
    };
  }

  store(unit: LedgerUnit, claimed: readonly Refund[]): void {
    const organizations = new Set(claimed.map(({ state }) => state.organization));
    for (const group of this.groups([...organizations])) {
      const states = claimed
        .map(({ state }) => state)
        .filter(({ organization }) => group.includes(organization));
      const owners = states.map(({ organization }) => uuidOf(organization));
      const values = [
        group.length === 1 ? owners[0] : owners,
        unit.mode,
        states.map(({ id }) => uuidOf(id)),
        states.map(({ claimNumber }) => claimNumber),
        states.map(({ lapses }) => lapses),
        states.map(({ claimExpiresAt }) => new Date(claimExpiresAt ?? 0).toISOString()),
        states.map(({ claimableAt }) => new Date(claimableAt).toISOString()),
      ];
      this.database.changing(unit, group.length === 1 ? STORE : STORE_ALL, values, states.length);
    }
  }

  /** Citus changes and locks the rows of one organization at a time. */
  private groups<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
    if (items.length > 1 && this.database.isDistributed) return items.map((item) => [item]);
    return items.length === 0 ? [] : [items];
  }
}
