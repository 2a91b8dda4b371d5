/** How a ledger, which names resources by their IDs alone, finds out whose they are. */

import type { Statement } from '../engine/index.js';
import type { Caller, Ledger } from '../shared/caller.js';
import { notFound } from '../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../shared/id.js';
import type { Database } from './database.js';

export const ownerIn = (table: string): Statement => ({
  name: `${table}.owner`,
  text: `/* every organization: a resource of the ledger is of any of them */
    SELECT organization_id AS organization FROM ${table} WHERE mode = $1 AND id = $2`,
});

interface Asked {
  readonly ledger: Ledger;
  readonly id: string;
  readonly organization: string | null | undefined;
}

/** Whose a resource of the ledger's mode is, as the caller that may change it: looked up, unless the ledger says it. Refuses with not_found. */
export async function findOwner(
  database: Database,
  owner: Statement,
  { ledger, id, organization }: Asked,
): Promise<Caller> {
  if (organization) return { organization, ...ledger };
  const [row] = await database.read<Pick<Caller, 'organization'>>(ledger, owner, [ledger.mode, uuidOf(id)]);
  if (!row) throw notFound('id');
  return { organization: idOf(ORGANIZATION_ID, row.organization), ...ledger };
}
