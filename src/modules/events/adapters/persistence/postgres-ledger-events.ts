import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Statement } from '../../../../platform/database/statement.js';
import { Facts } from '../../../../platform/facts.js';
import type { Ledger } from '../../../../shared/caller.js';
import { idOf, idRange, instantOf, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { type LedgerEventFilter, LedgerEvents, type Order, type OwnedEvent } from '../../application/ports.js';
import { EVENT_COLUMNS } from './event.record.js';
import { bounded, type FoundRow, fromRow } from './postgres-events.js';

/** How far the clocks of two processes may differ. An event can be this much older than its resource. */
const MAX_SKEW_MS = 60_000;

const OF_ALL = '/* every organization: the ledger reads the events of all */';

type Narrow = 'organization_id' | 'object_id';

/**
 * Reads a page of each type through the index by type, and merges them. `$2` and `$3` are the range of IDs, `$4` the limit and
 * `$5` the types; `columns` equal the values from `$6` on. Citus cannot join LATERAL across shards: there, each shard finds
 * its rows by one condition.
 */
function listStatement(columns: readonly Narrow[], order: Order): Statement {
  const narrowed = columns.map((column, at) => `AND ${column} = $${at + 6}`).join(' ');
  const scope = columns.includes('organization_id') ? '' : `${OF_ALL} `;
  const byType = `SELECT found.* FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT * FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $2 AND id < $3 ${narrowed}
      ORDER BY id ${order} LIMIT $4) AS found`;
  const together = `SELECT * FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 ${narrowed}`;
  const shown = `organization_id AS organization, ${EVENT_COLUMNS}`;
  const text = (page: string) => scope + bounded(page, `id ${order}`, '$4', shown);
  return { name: ['events.ledger_list', ...columns, order].join('_'), text: text(byType), onCitus: text(together) };
}

@Injectable()
export class PostgresLedgerEvents extends LedgerEvents {
  constructor(
    private readonly database: Database,
    private readonly facts: Facts,
  ) {
    super();
  }

  async list(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    const { mode } = ledger;
    const { organization, object, order, limit } = filter;
    if (object !== undefined && modeOf(object) !== mode) return { items: [], hasMore: false };
    const narrow: readonly (readonly [Narrow, string])[] = [
      ...(organization === undefined ? [] : [['organization_id', organization] as const]),
      ...(object === undefined ? [] : [['object_id', object] as const]),
    ];
    const range = idRange({ ...filter, from: earliest(filter) });
    const rows = await this.database.read<FoundRow & { organization: string }>(
      organization === undefined ? ledger : { organization },
      listStatement(
        narrow.map(([column]) => column),
        order,
      ),
      [mode, ...range, limit + 1, this.typesOf(filter), ...narrow.map(([, id]) => uuidOf(id))],
    );
    const items = rows.slice(0, limit);
    return {
      items: items.map((row) => ({ ...fromRow(row), organization: idOf(ORGANIZATION_ID, row.organization) })),
      hasMore: items.at(-1)?.followed ?? false,
    };
  }

  private typesOf({ type, object }: LedgerEventFilter): string[] {
    const all = object === undefined ? this.facts.eventTypes : Object.keys(this.facts.resourceOf(object)?.events ?? {});
    return all.filter((one) => type === undefined || one === type);
  }
}

function earliest({ from, object }: LedgerEventFilter): number | undefined {
  if (object === undefined) return from;
  return Math.max(from ?? 0, instantOf(object) - MAX_SKEW_MS);
}
