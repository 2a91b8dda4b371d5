import { Injectable } from '@nestjs/common';
import { Declarations } from '../platform/module-declaration.js';
import { type Caller, type Ledger, Owners } from '../shared/caller.js';
import { notFound } from '../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../shared/id.js';
import { Database } from './database.js';

/** Looks for the owner of a resource in the tables that the modules declare. */
@Injectable()
export class StoredOwners extends Owners {
  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
  ) {
    super();
  }

  async find({ mode }: Ledger, id: string): Promise<Caller | undefined> {
    const table = this.declarations.resourceOf(id)?.table;
    if (table === undefined) return undefined;
    const text = `/* every organization: a resource of the ledger is of any of them */
      SELECT organization_id AS organization FROM ${table} WHERE mode = $1 AND id = $2`;
    const owner = { name: `${table}.owner`, text };
    const [row] = await this.database.read<Pick<Caller, 'organization'>>({ mode }, owner, [
      mode,
      uuidOf(id),
    ]);
    return row && { organization: idOf(ORGANIZATION_ID, row.organization), mode };
  }

  async of(ledger: Ledger, id: string, organization?: string | null): Promise<Caller> {
    if (organization) return { organization, mode: ledger.mode };
    const owner = await this.find(ledger, id);
    if (!owner) throw notFound('id');
    return owner;
  }
}
