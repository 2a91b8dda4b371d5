import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, type Repository } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Page, type PageRequest, pageOf } from '../../../../shared/page.js';
import { ApiKeys } from '../../application/ports.js';
import { API_KEY_ID, ApiKey } from '../../domain/api-key.js';
import { ApiKeyRecord } from './api-key.record.js';

/** Who a key belongs to is not known before it is found. */
const KEYS = { queue: 'api keys' };

const BY_DIGEST = {
  name: 'access.key_by_digest',
  text: `SELECT id, organization_id AS "organizationId", kind, mode, holder, rights, display,
      allowed_origins AS "allowedOrigins", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
      coalesce(last_used_at > now() - interval '1 hour', false) AS "isNoted"
    FROM api_keys WHERE digest = $1`,
};

const USED = {
  name: 'access.key_used',
  text: `UPDATE api_keys SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`,
};

const ORIGINS = {
  name: 'access.all_origins',
  text: `SELECT DISTINCT unnest(allowed_origins) AS origin FROM api_keys
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

interface Found extends ApiKeyRecord {
  /** Whether `last_used_at` is new enough. */
  readonly isNoted: boolean;
}

@Injectable()
export class TypeormApiKeys extends ApiKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async add(key: ApiKey, token: string): Promise<void> {
    await this.changing((keys) => keys.insert({ ...toRow(key), digest: digestOf(token) }));
  }

  async byToken(token: string): Promise<ApiKey | undefined> {
    const [row] = await this.database.read<Found>(KEYS, BY_DIGEST, [digestOf(token)]);
    if (!row) return undefined;
    // Not awaited: no request waits for it, and the next look-up tries again.
    if (!row.isNoted) this.database.autocommit(KEYS, USED, [row.id]).catch(() => undefined);
    return fromRow(row);
  }

  async byId(id: string): Promise<ApiKey | undefined> {
    return fromRow(await this.database.reading(KEYS, (manager) => manager.findOneBy(ApiKeyRecord, { id: uuidOf(id) })));
  }

  async ofOrganization(organization: string | null): Promise<ApiKey[]> {
    const where = { organizationId: organization === null ? IsNull() : uuidOf(organization) };
    const rows = await this.database.reading(KEYS, (manager) =>
      manager.find(ApiKeyRecord, { where, order: { id: 'ASC' } }),
    );
    return rows.map((row) => fromRow(row));
  }

  async pageOf(organization: string, { cursor, limit }: PageRequest): Promise<Page<ApiKey>> {
    const before = cursor === undefined ? {} : { id: LessThan(uuidOf(cursor)) };
    const where = { organizationId: uuidOf(organization), ...before };
    const rows = await this.database.reading(KEYS, (manager) =>
      manager.find(ApiKeyRecord, { where, order: { id: 'DESC' }, take: limit + 1 }),
    );
    return pageOf(
      rows.map((row) => fromRow(row)),
      limit,
    );
  }

  async revoke(id: string, instant: number): Promise<ApiKey> {
    const change = { revokedAt: new Date(instant) };
    await this.changing((keys) => keys.update({ id: uuidOf(id), revokedAt: IsNull() }, change));
    return (await this.byId(id)) as ApiKey;
  }

  async expireBy(id: string, instant: number): Promise<ApiKey> {
    const expiresAt = () => 'least(expires_at, :instant)';
    await this.changing((keys) => {
      const query = keys
        .createQueryBuilder()
        .update()
        .where({ id: uuidOf(id) });
      return query.set({ expiresAt }).setParameter('instant', new Date(instant)).execute();
    });
    return (await this.byId(id)) as ApiKey;
  }

  async allowedOrigins(): Promise<ReadonlySet<string>> {
    const rows = await this.database.read<{ readonly origin: string }>({ queue: ORIGINS.name }, ORIGINS, []);
    return new Set(rows.map(({ origin }) => origin));
  }

  private changing<Result>(change: (keys: Repository<ApiKeyRecord>) => Promise<Result>): Promise<Result> {
    return this.database.run(KEYS, () => change(this.database.repository(ApiKeyRecord)));
  }
}

/** A fast hash is enough, because a token has 190 random bits and cannot be guessed. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function toRow({ state }: ApiKey): Omit<ApiKeyRecord, 'digest'> {
  const { id, organization, kind, mode, holder, rights, display, allowedOrigins } = state;
  return {
    id: uuidOf(id),
    organizationId: organization && uuidOf(organization),
    kind,
    mode,
    holder,
    rights: [...rights],
    display,
    allowedOrigins: [...allowedOrigins],
    expiresAt: dateOf(state.expiresAt),
    revokedAt: dateOf(state.revokedAt),
    lastUsedAt: dateOf(state.lastUsedAt),
  };
}

const dateOf = (instant: number | null) => (instant === null ? null : new Date(instant));

function fromRow(row: ApiKeyRecord): ApiKey;
function fromRow(row: ApiKeyRecord | null): ApiKey | undefined;
function fromRow(row: ApiKeyRecord | null): ApiKey | undefined {
  if (!row) return undefined;
  const { organizationId, kind, mode, rights, display, allowedOrigins, expiresAt, revokedAt, lastUsedAt } = row;
  const id = idOf(API_KEY_ID, row.id);
  return ApiKey.restore({
    id,
    organization: organizationId && idOf(ORGANIZATION_ID, organizationId),
    kind,
    mode,
    holder: row.holder ?? id,
    rights,
    display,
    allowedOrigins,
    expiresAt: expiresAt?.getTime() ?? null,
    revokedAt: revokedAt?.getTime() ?? null,
    lastUsedAt: lastUsedAt?.getTime() ?? null,
  });
}
