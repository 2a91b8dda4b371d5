import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import { FIRST_UUID, idOf, LAST_UUID, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { LedgerUnit } from '../../../../shared/unit.js';
import { Claims } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';
import type { RefundState } from '../../domain/refund-state.js';
import type { RefundCount } from '../../domain/round-robin.js';
import { PAYABLE, type RefundRecord } from './refund.record.js';
import { COLUMNS, fromRow } from './typeorm-refunds.js';

const LOCKED = `${COLUMNS}, statement_timestamp() AS now`;

/**
 * This is isClaimable() in SQL. The first condition is a range of the index refunds_claim_turns.
 */
const CLAIMABLE = `${PAYABLE} AND claimable_at <= statement_timestamp()
  AND (claim_expires_at IS NULL OR claim_expires_at <= statement_timestamp())`;

/** One look walks over so many organizations at most. The next look goes on behind them. */
const MOST_ORGANIZATIONS = 1000;

/** The walk over organizations begins behind `after`, and ends with `until`. */
interface Walk {
  readonly mode: string;
  readonly after: string;
  readonly until: string;
  readonly limit: number;
}

/** Finds the first payable refund of the next organization in one step of the index. */
const next = ({ mode, until }: Places<Walk>, after: string, place: string) =>
  `SELECT organization_id, claimable_at, ${place} AS place FROM refunds
  WHERE mode = ${mode} AND ${PAYABLE} AND organization_id > ${after} AND organization_id <= ${until}
  ORDER BY organization_id, claimable_at LIMIT 1`;
const WAITING = statement<Walk>(
  'refunds.waiting',
  (walk) => `/* every organization: claims take refunds of all of them by turns */
    WITH RECURSIVE owner AS (
      (${next(walk, walk.after, '1')}) UNION ALL
      SELECT following.* FROM owner
      CROSS JOIN LATERAL (${next(walk, 'owner.organization_id', 'owner.place + 1')}) AS following
      WHERE owner.place < ${MOST_ORGANIZATIONS}
    )
    SELECT organization_id AS organization, place = ${MOST_ORGANIZATIONS} AS "isEnd",
      (SELECT count(*) FROM (
        SELECT FROM refunds
        WHERE organization_id = found.organization_id AND mode = ${walk.mode} AND ${CLAIMABLE}
        LIMIT ${walk.limit} - found.others) AS counted)::integer AS refunds
    FROM (
      SELECT *, count(*) OVER () - 1 AS others FROM (
        SELECT organization_id, place FROM owner
        WHERE claimable_at <= statement_timestamp() OR place = ${MOST_ORGANIZATIONS}
        LIMIT ${walk.limit}) AS first) AS found
    ORDER BY place`,
);
/** This is the statement for Citus, which has no recursive queries over several machines. */
const WAITING_ANYWHERE = statement<Walk>(
  'refunds.waiting_anywhere',
  ({ mode, after, until, limit }) =>
    `/* every organization: claims take refunds of all of them by turns */
    SELECT organization_id AS organization, false AS "isEnd",
      least(count(*), ${limit})::integer AS refunds
    FROM refunds
    WHERE mode = ${mode} AND ${CLAIMABLE} AND organization_id > ${after}
      AND organization_id <= ${until}
    GROUP BY organization_id ORDER BY organization_id LIMIT ${limit}`,
);

const oldestFirst = (most: string) =>
  `ORDER BY refunds.claimable_at, refunds.id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED`;

interface Wanted<OneOrMany> {
  readonly mode: string;
  readonly organization: OneOrMany;
  /** This is how many refunds of each organization the statement locks. */
  readonly most: OneOrMany extends string ? number : readonly number[];
}

const LOCK = statement<Wanted<string>>(
  'refunds.lock_claimable',
  ({ organization, mode, most }) => `SELECT ${LOCKED} FROM refunds
    WHERE organization_id = ${organization} AND mode = ${mode} AND ${CLAIMABLE}
    ${oldestFirst(most)}`,
);
const LOCK_ALL = statement<Wanted<readonly string[]>>(
  'refunds.lock_claimable_of_all',
  ({ organization, mode, most }) => `/* every organization: each has its turn in a claim */
    SELECT locked.* FROM unnest(${organization}::uuid[], ${most}::integer[])
      AS turn (organization_id, refunds)
    CROSS JOIN LATERAL (
      SELECT ${LOCKED} FROM refunds
      WHERE organization_id = turn.organization_id AND mode = ${mode} AND ${CLAIMABLE}
      ${oldestFirst('turn.refunds')}) AS locked`,
);

/** Each member but `mode` is a list with a value for each refund. */
interface Stored {
  readonly mode: string;
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
  readonly lapses: readonly number[];
  readonly ends: readonly string[];
  readonly claimableAt: readonly string[];
}

interface Owned<OneOrMany> {
  readonly organization: OneOrMany;
}

const SET = `UPDATE refunds SET claim_number = claim.number, lapses = claim.lapses,
    claim_expires_at = claim.expires_at, claimable_at = claim.claimable_at`;
const listsOf = ({ ids, numbers, lapses, ends, claimableAt }: Places<Stored>) =>
  `${ids}::uuid[], ${numbers}::integer[], ${lapses}::integer[], ${ends}::timestamptz[],
    ${claimableAt}::timestamptz[]`;
const COLUMNS_OF_LISTS = 'id, number, lapses, expires_at, claimable_at';
const isClaimed = (organization: string, { mode }: Places<Stored>) =>
  `refunds.organization_id = ${organization} AND refunds.mode = ${mode} AND refunds.id = claim.id`;
const STORE = statement<Stored & Owned<string>>(
  'refunds.claim',
  (claims) => `${SET}
  FROM unnest(${listsOf(claims)}) AS claim (${COLUMNS_OF_LISTS})
  WHERE ${isClaimed(claims.organization, claims)}`,
);
const STORE_ALL = statement<Stored & Owned<readonly string[]>>(
  'refunds.claim_of_all',
  (claims) => `/* every organization: each has its turn in a claim */ ${SET}
  FROM unnest(${listsOf(claims)}, ${claims.organization}::uuid[])
    AS claim (${COLUMNS_OF_LISTS}, organization_id)
  WHERE ${isClaimed('claim.organization_id', claims)}`,
);

interface LockedRow extends RefundRecord {
  readonly now: Date;
}

interface WaitingRow extends RefundCount {
  /** This is true if the walk ended here, where it may have found nothing. */
  readonly isEnd: boolean;
}

@Injectable()
export class PostgresClaims extends Claims {
  constructor(private readonly database: Database) {
    super();
  }

  async waiting(unit: LedgerUnit, last: string, limit: number): Promise<readonly RefundCount[]> {
    const { mode } = unit;
    const waiting = this.database.isDistributed ? WAITING_ANYWHERE : WAITING;
    const between = (after: string, until: string) =>
      this.database.query<WaitingRow>(unit, ...waiting.of({ mode, after, until, limit }));
    const rows = await between(uuidOf(last), LAST_UUID);
    if (rows.length < limit && !rows.at(-1)?.isEnd)
      rows.push(...(await between(FIRST_UUID, uuidOf(last))));
    return rows.map(({ organization, refunds }) => ({
      organization: idOf(ORGANIZATION_ID, organization),
      refunds,
    }));
  }

  async lock(unit: LedgerUnit, counts: readonly RefundCount[]) {
    const rows: LockedRow[] = [];
    for (const group of this.groups(counts)) {
      const organizations = group.map(({ organization }) => uuidOf(organization));
      const most = group.map(({ refunds }) => refunds);
      rows.push(...(await this.lockGroup(unit, organizations, most)));
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
      const stored = { mode: unit.mode, ...storedOf(states) };
      const statement =
        group.length === 1
          ? STORE.of({ ...stored, organization: owners[0] as string })
          : STORE_ALL.of({ ...stored, organization: owners });
      this.database.changing(unit, ...statement, states.length);
    }
  }

  private lockGroup(
    unit: LedgerUnit,
    organizations: readonly string[],
    counts: readonly number[],
  ): Promise<LockedRow[]> {
    const { mode } = unit;
    const [organization, most] = [organizations[0] as string, counts[0] as number];
    const statement =
      organizations.length === 1
        ? LOCK.of({ mode, organization, most })
        : LOCK_ALL.of({ mode, organization: organizations, most: counts });
    return this.database.query<LockedRow>(unit, ...statement);
  }

  /** Citus changes and locks the rows of one organization at a time. */
  private groups<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
    if (items.length > 1 && this.database.isDistributed) return items.map((item) => [item]);
    return items.length === 0 ? [] : [items];
  }
}

function storedOf(states: readonly RefundState[]): Omit<Stored, 'mode'> {
  return {
    ids: states.map(({ id }) => uuidOf(id)),
    numbers: states.map(({ claimNumber }) => claimNumber),
    lapses: states.map(({ lapses }) => lapses),
    ends: states.map(({ claimExpiresAt }) => new Date(claimExpiresAt ?? 0).toISOString()),
    claimableAt: states.map(({ claimableAt }) => new Date(claimableAt).toISOString()),
  };
}
