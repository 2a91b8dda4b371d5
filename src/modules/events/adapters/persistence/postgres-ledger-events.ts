import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { isDistributed } from '../../../../platform/database/citus.js';
import { Database } from '../../../../platform/database/database.js';
import type { Statement } from '../../../../platform/database/statement.js';
import { facts, resourceOf } from '../../../../platform/facts.js';
import { type Caller, type Ledger, MODES } from '../../../../shared/caller.js';
import { idOf, idRange, instantOf, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { type LedgerEventFilter, LedgerEvents, type Order, type OwnedEvent } from '../../application/ports.js';
import { EventRecord } from './event.record.js';
import { bounded, COLUMNS, type FoundRow, fromRow } from './postgres-events.js';

/** How far the clocks of two processes may differ. An event can be this much older than its resource. */
const MAX_SKEW_MS = 60_000;

const OF_ALL = '/* every organization: the ledger reads the events of all */';

type Narrow = 'organization_id' | 'object_id';

/**
 * Reads a page of each type through the index by type, and merges them. `$2` and `$3` are the range of IDs, `$4` the limit and
 * `$5` the types; `columns` equal the values from `$6` on. Citus cannot run a LATERAL join across shards: there, each shard
 * finds its rows by one condition.
 */
function listStatement(columns: readonly Narrow[], order: Order, isOnCitus = false): Statement {
  const narrowed = columns.map((column, at) => `AND ${column} = $${at + 6}`).join(' ');
  const scope = columns.includes('organization_id') ? '' : OF_ALL;
  const byType = `SELECT found.* FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      ${scope} SELECT * FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $2 AND id < $3 ${narrowed}
      ORDER BY id ${order} LIMIT $4) AS found`;
  const together = `${scope} SELECT * FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 ${narrowed}`;
  const text = bounded(
    isOnCitus ? together : byType,
    `id ${order}`,
    `organization_id AS organization, ${COLUMNS}`,
  ).replace('LIMIT $5', 'LIMIT $4');
  const suffix = isOnCitus ? ['distributed'] : [];
  return { name: ['events.ledger_list', ...columns, order, ...suffix].join('_'), text };
}

@Injectable()
export class PostgresLedgerEvents extends LedgerEvents {
  constructor(private readonly database: Database) {
    super();
  }

  async list({ mode }: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    const { organization, object, order, limit } = filter;
    if (object !== undefined && modeOf(object) !== mode) return { items: [], hasMore: false };
    const narrow: readonly (readonly [Narrow, string])[] = [
      ...(organization === undefined ? [] : [['organization_id', organization] as const]),
      ...(object === undefined ? [] : [['object_id', object] as const]),
    ];
    const range = idRange({ ...filter, from: earliest(filter) });
    const rows = await this.database.read<FoundRow & { organization: string }>(
      listStatement(
        narrow.map(([column]) => column),
        order,
        await isDistributed(this.database),
      ),
      [mode, ...range, limit + 1, typesOf(filter), ...narrow.map(([, id]) => uuidOf(id))],
    );
    const items = rows.slice(0, limit);
    return {
      items: items.map((row) => ({ ...fromRow(row), organization: idOf(ORGANIZATION_ID, row.organization) })),
      hasMore: items.at(-1)?.followed ?? false,
    };
  }

  async ownerOf(id: string): Promise<Caller | undefined> {
    const found = await this.database.repository(EventRecord).findOne({
      where: { mode: In([...MODES]), type: In(facts.eventTypes), id: uuidOf(id) },
      comment: 'every organization: an operator names an event by its ID alone',
    });
    return found ? { organization: idOf(ORGANIZATION_ID, found.organizationId), mode: found.mode } : undefined;
  }
}

function earliest({ from, object }: LedgerEventFilter): number | undefined {
  if (object === undefined) return from;
  return Math.max(from ?? 0, instantOf(object) - MAX_SKEW_MS);
}

function typesOf({ type, object }: LedgerEventFilter): string[] {
  const all = object === undefined ? facts.eventTypes : Object.keys(resourceOf(object)?.events ?? {});
  return all.filter((one) => type === undefined || one === type);
}
