import type { Caller, Ledger } from '../../shared/caller.js';
import { notFound } from '../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../shared/id.js';
import type { Database } from './database.js';
import type { Statement } from './statement.js';

/** A resource of the ledger's mode. If the ledger names the organization, its owner is not looked up. */
export interface Owned {
  readonly ledger: Ledger;
  readonly id: string;
  readonly organization: string | null | undefined;
}

export function ownerStatement(table: string): Statement {
  const text = `/* every organization: a resource of the ledger is of any of them */
    SELECT organization_id AS organization FROM ${table} WHERE mode = $1 AND id = $2`;
  return { name: `${table}.owner`, text };
}

/** Whose a resource of the ledger is, as the caller that may change it. Refuses with not_found. */
export async function findOwner(database: Database, statement: Statement, owned: Owned): Promise<Caller> {
  const { ledger, id, organization } = owned;
  const { mode } = ledger;
  if (organization) return { organization, mode };
  const [row] = await database.read<Pick<Caller, 'organization'>>(ledger, statement, [mode, uuidOf(id)]);
  if (!row) throw notFound('id');
  return { organization: idOf(ORGANIZATION_ID, row.organization), mode };
}
