/** The organizations of the bench: one that holds half of everything, one that stays small, and many others. */
import type { INestApplicationContext } from '@nestjs/common';
import { ManageApiKeys, ManageOrganizations } from '../../src/modules/access/index.js';

const ORGANIZATIONS = 1_000;

export interface Tenant {
  readonly name: 'big' | 'small';
  readonly organization: string;
  readonly key: string;
}

export interface Tenants {
  readonly big: Tenant;
  readonly small: Tenant;
  readonly others: readonly string[];
  readonly ledgerKey: string;
}

export async function createTenants(application: INestApplicationContext): Promise<Tenants> {
  const keys = application.get(ManageApiKeys);
  const organizations: string[] = [];
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const { organization } = await application.get(ManageOrganizations).create(`Organization ${number}`);
    organizations.push(organization.id);
  }
  const keyOf = async (organization: string | null) => {
    const kind = organization === null ? 'ledger' : 'secret';
    const made = await keys.create({ kind, mode: 'test', organization });
    return made.token;
  };
  const tenant = async (name: Tenant['name'], organization: string): Promise<Tenant> => {
    return { name, organization, key: await keyOf(organization) };
  };
  const [big = '', small = '', ...others] = organizations;
  return {
    big: await tenant('big', big),
    small: await tenant('small', small),
    others,
    ledgerKey: await keyOf(null),
  };
}
