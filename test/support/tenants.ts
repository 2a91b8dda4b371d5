/** Organizations and keys, as the use cases of operators make them. */
import type { INestApplicationContext } from '@nestjs/common';
import { ManageApiKeys, ManageOrganizations } from '../../src/modules/access/index.js';
import type { Mode, Right } from '../../src/shared/caller.js';

export interface Tenant {
  readonly organization: string;
  /** A secret key's token for each mode. */
  readonly test: string;
  readonly live: string;
}

/** Whatever the use cases of operators are taken from. */
interface Operated {
  readonly application: Pick<INestApplicationContext, 'get'>;
}

export async function createTenant({ application }: Operated): Promise<Tenant> {
  const organization = (await application.get(ManageOrganizations).create('Test')).organization.id;
  return {
    organization,
    test: await createKey({ application }, { organization, mode: 'test' }),
    live: await createKey({ application }, { organization, mode: 'live' }),
  };
}

export interface KeyOptions {
  readonly organization: string;
  readonly mode?: Mode;
  readonly allowedOrigins?: readonly string[];
  readonly expiresAt?: number | null;
  /** Of a restricted key. */
  readonly rights?: readonly Right[];
  readonly holder?: string;
}

export async function createKey(
  { application }: Operated,
  { allowedOrigins: origins, rights, mode = 'test', ...terms }: KeyOptions,
): Promise<string> {
  const kind = rights ? 'restricted' : 'secret';
  return (await application.get(ManageApiKeys).create({ kind, mode, origins, rights, ...terms }))
    .token;
}

export async function createLedgerKey(
  { application }: Operated,
  mode: Mode = 'test',
): Promise<string> {
  return (await application.get(ManageApiKeys).create({ kind: 'ledger', organization: null, mode }))
    .token;
}

export async function createOperatorKey(
  { application }: Operated,
  holder = 'Sign-up',
): Promise<string> {
  const input = { kind: 'operator', organization: null, mode: null, holder } as const;
  return (await application.get(ManageApiKeys).create(input)).token;
}
