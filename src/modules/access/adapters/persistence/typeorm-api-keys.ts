import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { pageOfRows } from '../../../../persistence/rows.js';
import { statement } from '../../../../persistence/statement.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page, PageRequest } from '../../../../shared/page.js';
import type { Work } from '../../../../shared/unit.js';
import { ApiKeys } from '../../application/ports.js';
import { API_KEY_ID, ApiKey } from '../../domain/api-key.js';
import { ApiKeyRecord } from './api-key.record.js';

/** All look-ups share one queue, because the owner of a key is not known before it is found. */
const KEYS = { queue: 'api keys' };

const BY_DIGEST = statement<{ digest: Buffer }>(
  'access.key_by_digest',
  (token) => `SELECT
      key.id, organization_id AS "organizationId", kind, mode, holder, rights, display,
      allowed_origins AS origins, expires_at AS "expiresAt", revoked_at AS "revokedAt",
      last_used_at AS "lastUsedAt",
      refund_approval = 'all' AS "allRefundsWait", unique_references AS "uniqueReferences",
      coalesce(last_used_at > now() - interval '1 hour', false) AS "isNoted"
    FROM api_keys AS key LEFT JOIN organizations ON organizations.id = organization_id
    WHERE digest = ${token.digest}`,
);

const USED = statement<{ id: string }>(
  'access.key_used',
  (key) => `UPDATE api_keys SET last_used_at = now()
    WHERE id = ${key.id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`,
);

const ORIGINS = {
  name: 'access.all_origins',
  text: `SELECT DISTINCT unnest(allowed_origins) AS origin FROM api_keys
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

interface Found extends ApiKeyRecord {
  /** This is true if `last_used_at` is new enough. */
  readonly isNoted: boolean;
  readonly allRefundsWait: boolean | null;
  readonly uniqueReferences: boolean | null;
}

@Injectable()
export class TypeormApiKeys extends ApiKeys {
  constructor(private readonly database: Database) {
    super();
  }

  add(
    unit: Work,
    { state: { id, organization, expiresAt, ...state } }: ApiKey,
    token: string,
  ): void {
    const row = {
      ...state,
      id: uuidOf(id),
      organizationId: organization && uuidOf(organization),
      expiresAt: expiresAt && new Date(expiresAt),
      ...{ revokedAt: null, lastUsedAt: null, digest: digestOf(token) },
    };
    this.database.atCommit(unit, ({ manager }) => manager.insert(ApiKeyRecord, row));
  }

  async byToken(token: string): Promise<ApiKey | undefined> {
    const found = BY_DIGEST.of({ digest: digestOf(token) });
    const [row] = await this.database.read<Found>(KEYS, ...found);
    if (row && !row.isNoted) this.noteUse(row.id);
    return row && fromRow(row);
  }

  async byId(id: string): Promise<ApiKey | undefined> {
    const row = await this.database.reading(KEYS, (manager) =>
      manager.findOneBy(ApiKeyRecord, { id: uuidOf(id) }),
    );
    return row ? fromRow(row) : undefined;
  }

  async list(organization: string | null, page: Partial<PageRequest>): Promise<Page<ApiKey>> {
    const where = { organizationId: organization === null ? IsNull() : uuidOf(organization) };
    return pageOfRows(this.database, ApiKeyRecord, { owner: KEYS, where, page }, fromRow);
  }

  async end(
    unit: Work,
    id: string,
    how: 'revokedAt' | 'expiresAt',
    instant: number,
  ): Promise<{ before: ApiKey; after: ApiKey }> {
    const at = `to_timestamp(${instant / 1000})`;
    const ends = {
      revokedAt: `coalesce(revoked_at, ${at})`,
      expiresAt: `least(expires_at, ${at})`,
    };
    const change = { [how]: () => ends[how] };
    const one = { id: uuidOf(id) };
    return this.database.inTransaction(unit, async ({ manager }) => {
      const lock = { mode: 'for_no_key_update' } as const;
      const before = await manager.findOneOrFail(ApiKeyRecord, { where: one, lock });
      await manager.update(ApiKeyRecord, one, change);
      const after = await manager.findOneByOrFail(ApiKeyRecord, one);
      return { before: fromRow(before), after: fromRow(after) };
    });
  }

  async allowedOrigins(): Promise<ReadonlySet<string>> {
    const rows = await this.database.read<{ readonly origin: string }>(
      { queue: ORIGINS.name },
      ORIGINS,
      [],
    );
    return new Set(rows.map(({ origin }) => origin));
  }

  /** No request waits for this write. If it fails, the next look-up tries again. */
  private noteUse(id: string): void {
    this.database.autocommit(KEYS, ...USED.of({ id })).catch(() => undefined);
  }
}

/** A fast hash is enough, because a token has 190 random bits and cannot be guessed. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function fromRow({ organizationId, ...row }: ApiKeyRecord & Partial<Found>): ApiKey {
  const id = idOf(API_KEY_ID, row.id);
  return ApiKey.restore({
    ...row,
    id,
    organization: organizationId && idOf(ORGANIZATION_ID, organizationId),
    expiresAt: row.expiresAt?.getTime() ?? null,
    revokedAt: row.revokedAt?.getTime() ?? null,
    lastUsedAt: row.lastUsedAt?.getTime() ?? null,
    allRefundsWait: row.allRefundsWait ?? false,
    uniqueReferences: row.uniqueReferences ?? false,
  });
}
