import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Statement } from '../../../../platform/database/statement.js';
import type { Ledger } from '../../../../shared/caller.js';
import { idOf, instantOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { type LedgerEventFilter, LedgerEvents, type Order, type OwnedEvent } from '../../application/ports.js';
import { EVENT_COLUMNS } from './event.record.js';
import { LAST_POSITION } from './event-floor.js';
import { bounded, EventLists, type FoundRow, inPlace, MARGIN_MS, pageOf } from './event-lists.js';

const OF_ALL = '/* every organization: the ledger reads the events of all */';
const SHOWN = `organization_id AS organization, ${EVENT_COLUMNS}`;

const ofEachType = (query: string) =>
  `SELECT found.* FROM unnest($5::text[]) AS wanted (name) CROSS JOIN LATERAL (${query}) AS found`;
const position = (nearest: string, order: string) =>
  `(SELECT position FROM (${ofEachType(`SELECT position, id FROM events
  WHERE mode = $1 AND type = wanted.name AND ${nearest} ORDER BY ${order} LIMIT 1`)}) AS each ORDER BY ${order} LIMIT 1)`;
const PLACES = `places AS MATERIALIZED (SELECT coalesce(${position('id <= $2', 'id DESC')}, 0) AS low,
  coalesce(${position('id >= $3', 'id')}, ${LAST_POSITION}) AS high)`;

/** Merges a page of each type, found by the index. Citus cannot join LATERAL across shards: there, events are in the order of IDs. */
function listStatement(of: 'all' | 'object', order: Order): Statement {
  const condition = `id > $6 AND id < $7 AND position <= $8 ${of === 'object' ? 'AND object_id = $9' : ''}`;
  const byType = ofEachType(`SELECT * FROM events WHERE mode = $1 AND type = wanted.name AND ${condition}
    AND (position, id) > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
    ORDER BY ${inPlace(order)} LIMIT $4`);
  const together = `SELECT * FROM events WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND ${condition}`;
  return {
    name: `events.ledger_list_${of}_${order}`,
    text: `${OF_ALL} WITH ${PLACES} ${bounded(byType, inPlace(order), '$4', SHOWN)}`,
    onCitus: `${OF_ALL} ${bounded(together, `id ${order}`, '$4', SHOWN)}`,
  };
}

type OwnedRow = FoundRow & { readonly organization: string };

@Injectable()
export class PostgresLedgerEvents extends LedgerEvents {
  constructor(
    private readonly database: Database,
    private readonly lists: EventLists,
  ) {
    super();
  }

  async list(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    const page = pageOf(await this.found(ledger, filter), filter);
    const owned = page.items.map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
    return { ...page, items: owned };
  }

  private async found({ mode }: Ledger, filter: LedgerEventFilter): Promise<OwnedRow[]> {
    const { organization, object, limit, order } = filter;
    if (organization !== undefined) {
      const rows = await this.lists.found({ organization, mode }, filter, 0);
      return rows.map((row) => ({ ...row, organization: uuidOf(organization) }));
    }
    const [low, high, first, end, , , last] = await this.lists.range({ ...filter, from: earliest(filter) }, 0);
    const page = [mode, low, high, limit + 1, this.lists.typesOf(filter), first, end, last];
    if (object === undefined) return this.database.read({ mode }, listStatement('all', order), page);
    return this.database.read({ mode }, listStatement('object', order), [...page, uuidOf(object)]);
  }
}

/** An event can be older than its resource by as much as the clocks of two processes differ. */
function earliest({ from, object }: LedgerEventFilter): number | undefined {
  if (object === undefined) return from;
  return Math.max(from ?? 0, instantOf(object) - MARGIN_MS);
}
