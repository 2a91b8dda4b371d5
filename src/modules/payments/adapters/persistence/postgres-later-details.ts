import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { StoredPersonalData } from '../../../../persistence/personal-data.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import type { Caller, Mode } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Unit } from '../../../../shared/unit.js';
import { LaterDetails } from '../../application/ports.js';
import type { Payment } from '../../domain/payment.js';

const DAY_SECONDS = 86_400;

interface Key {
  readonly organization: string;
  readonly mode: string;
  readonly id: string;
}

const byId = (key: Places<Key>) =>
  `WHERE organization_id = ${key.organization} AND mode = ${key.mode} AND id = ${key.id}`;

/** The time is that of the first detail that nobody has begun to forget. */
const NOTE = statement<Key & { readonly now: number }>(
  'payments.note_details',
  (to) => `UPDATE payments SET details_since = coalesce(details_since, to_timestamp(${to.now}))
    ${byId(to)} AND is_redacted`,
);
const OWNERS = statement(
  'payments.owners_of_details',
  () => `/* every organization: finds those that have any */
    SELECT organization_id AS organization, mode FROM payments WHERE details_since IS NOT NULL
    UNION SELECT organization_id, mode FROM payments WHERE is_forgetting`,
);
/**
 * A payment that is being forgotten is left for the next time: the run that forgets it may be past
 * a text that was written since.
 */
const BEGIN = statement<Omit<Key, 'id'> & { readonly before: number }>(
  'payments.begin_to_forget',
  (due) => `UPDATE payments SET is_forgetting = true, details_since = NULL
    WHERE organization_id = ${due.organization} AND mode = ${due.mode} AND NOT is_forgetting
      AND details_since <= to_timestamp(${due.before})`,
);
const UNFINISHED = statement<Key & { readonly limit: number }>(
  'payments.unfinished',
  (page) => `SELECT id FROM payments
    WHERE organization_id = ${page.organization} AND mode = ${page.mode}
      AND is_forgetting AND id > ${page.id}
    ORDER BY id LIMIT ${page.limit}`,
);
const FINISH = statement<Key>(
  'payments.finish_forgetting',
  (key) => `UPDATE payments SET is_forgetting = false ${byId(key)}`,
);

@Injectable()
export class PostgresLaterDetails extends LaterDetails {
  constructor(
    private readonly database: Database,
    private readonly personalData: StoredPersonalData,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  note(unit: Unit, { state }: Payment): void {
    if (!state.isRedacted) return;
    const noted = NOTE.of({ ...keyOf(unit, uuidOf(state.id)), now: unit.now / 1000 });
    this.database.changing(unit, ...noted, 1);
  }

  async owners(): Promise<readonly Caller[]> {
    const queue = { queue: OWNERS.name };
    const rows = await this.database.read<{ organization: string; mode: Mode }>(
      queue,
      ...OWNERS.of({}),
    );
    return rows.map(({ organization, mode }) => {
      return { organization: idOf(ORGANIZATION_ID, organization), mode };
    });
  }

  async begin(caller: Caller, days: number): Promise<void> {
    const { now } = await this.clock.at(caller);
    const due = { ...keyOf(caller, FIRST_UUID), before: now / 1000 - days * DAY_SECONDS };
    await this.database.autocommit(caller, ...BEGIN.of(due));
  }

  async unfinished(caller: Caller, limit: number, after?: string): Promise<readonly string[]> {
    const page = { ...keyOf(caller, after ?? FIRST_UUID), limit };
    const rows = await this.database.read<{ id: string }>(caller, ...UNFINISHED.of(page));
    return rows.map(({ id }) => id);
  }

  async forget(caller: Caller, payment: string, signal?: AbortSignal): Promise<void> {
    await this.personalData.forgetRest(caller, { object: 'payment', ids: [payment] }, signal);
    await this.database.autocommit(caller, ...FINISH.of(keyOf(caller, payment)));
  }
}

const keyOf = ({ organization, mode }: Caller, id: string): Key => {
  return { organization: uuidOf(organization), mode, id };
};
