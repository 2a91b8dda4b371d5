/** Makes organizations and keys with the use cases of operators. */

import type { NewApiKey, Right } from '../../src/modules/access/domain/api-key.js';
import { ManageApiKeys, ManageOrganizations } from '../../src/modules/access/index.js';
import type { Mode } from '../../src/shared/caller.js';
import { committed, type Operated } from './units.js';

export interface Tenant {
  readonly organization: string;
  /** Each mode has the token of a secret key. */
  readonly test: string;
  readonly live: string;
}

export async function createTenant({ application }: Operated): Promise<Tenant> {
  const created = await committed({ application }, (unit) =>
    application.get(ManageOrganizations).create(unit, 'Test'),
  );
  const organization = created.organization.id;
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
  /** Only a restricted key has rights. */
  readonly rights?: readonly Right[];
  readonly holder?: string;
}

export async function createKey(
  { application }: Operated,
  { allowedOrigins: origins, rights, mode = 'test', ...terms }: KeyOptions,
): Promise<string> {
  const kind = rights ? 'restricted' : 'secret';
  return issued({ application }, { kind, mode, origins, rights, ...terms });
}

export async function createLedgerKey(
  { application }: Operated,
  mode: Mode = 'test',
): Promise<string> {
  return issued({ application }, { kind: 'ledger', organization: null, mode });
}

export async function createOperatorKey(
  { application }: Operated,
  holder = 'Sign-up',
): Promise<string> {
  const input = { kind: 'operator', organization: null, mode: null, holder } as const;
  return issued({ application }, input);
}

async function issued({ application }: Operated, input: NewApiKey): Promise<string> {
  const keys = application.get(ManageApiKeys);
  return (await committed({ application }, (unit) => keys.create(unit, input))).token;
}
