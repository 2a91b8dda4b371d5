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

/** How far the clocks of two processes may differ: an event of a resource is no older than that before it. */
const MAX_SKEW_MS = 60_000;

const OF_ALL = '/* every organization: the ledger reads the events of all */';

type Narrow = 'organization_id' | 'object_id';

/**
 * From each type as many as a page may have, through the index by type. `$2` and `$3` are the range of ids, `$4` the most,
 * `$5` the types; the columns equal what follows. Several machines take no such steps: there each one has its own few.
 */
function listStatement(columns: readonly Narrow[], order: Order, onSeveralMachines = false): Statement {
  const narrowed = columns.map((column, at) => `AND ${column} = $${at + 6}`).join(' ');
  const whose = columns.includes('organization_id') ? '' : OF_ALL;
  const byType = `SELECT found.* FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      ${whose} SELECT * FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $2 AND id < $3 ${narrowed}
      ORDER BY id ${order} LIMIT $4) AS found`;
  const together = `${whose} SELECT * FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 ${narrowed}`;
  const text = bounded(
    onSeveralMachines ? together : byType,
    `id ${order}`,
    `organization_id AS organization, ${COLUMNS}`,
  ).replace('LIMIT $5', 'LIMIT $4');
  const suffix = onSeveralMachines ? ['distributed'] : [];
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
      comment: 'every organization: an operator names an event, whoever has it',
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
