import { Injectable } from '@nestjs/common';
import { Declarations } from '../platform/module-declaration.js';
import {
  type Caller,
  type Ledger,
  type ListedOwner,
  type OwnedFilter,
  Owners,
} from '../shared/caller.js';
import { notFound } from '../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../shared/id.js';
import { Database } from './database.js';
import { statement } from './statement.js';

interface Key {
  readonly mode: string;
  readonly id: string;
}

const ownerOf = (table: string) =>
  statement<Key>(
    `${table}.owner`,
    ({ mode, id }) => `/* every organization: a resource of the ledger is of any of them */
      SELECT organization_id AS organization FROM ${table} WHERE mode = ${mode} AND id = ${id}`,
  );

/** Returns one statement for each table of resources. */
const ofDeclarations = ({ resources }: Pick<Declarations, 'resources'>) =>
  Object.fromEntries(
    resources.flatMap(({ table }) => (table === undefined ? [] : [[table, ownerOf(table)]])),
  );

/** Looks for the owner of a resource in the tables that the modules declare. */
@Injectable()
export class StoredOwners extends Owners {
  private readonly statements: ReturnType<typeof ofDeclarations>;

  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
  ) {
    super();
    this.statements = ofDeclarations(declarations);
  }

  async find({ mode }: Ledger, id: string): Promise<Caller | undefined> {
    const { table = '' } = this.declarations.resourceOf(id) ?? {};
    const statement = this.statements[table];
    if (statement === undefined) return undefined;
    const found = statement.of({ mode, id: uuidOf(id) });
    const [row] = await this.database.read<Pick<Caller, 'organization'>>({ mode }, ...found);
    return row && { organization: idOf(ORGANIZATION_ID, row.organization), mode };
  }

  async of(ledger: Ledger, id: string, organization?: string | null): Promise<Caller> {
    if (organization) return { organization, mode: ledger.mode };
    const owner = await this.find(ledger, id);
    if (!owner) throw notFound('id');
    return owner;
  }

  async listed(
    ledger: Ledger,
    { organization, resource }: OwnedFilter,
  ): Promise<ListedOwner | undefined> {
    if (organization !== undefined || resource === undefined) return { organization, ...ledger };
    return this.find(ledger, resource);
  }
}
