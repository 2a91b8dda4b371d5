import { Injectable } from '@nestjs/common';
import { CallerClock } from '../../../shared/clock.js';
import { invalidParam, notFound } from '../../../shared/errors.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import { ApiKey, callerOf, type NewApiKey } from '../domain/api-key.js';
import { Authenticate } from './authenticate.js';
import { ApiKeys, Organizations } from './ports.js';

export interface IssuedApiKey {
  readonly key: ApiKey;
  readonly token: string;
}

export interface RotatedApiKey extends IssuedApiKey {
  readonly previousExpiresAt: number;
}

export interface Rotation {
  /** How long the old key still works, in milliseconds, unless it expires before. */
  readonly overlap: number;
  /** When the new key expires, in milliseconds, or null for never. It does not inherit the old key's expiry. */
  readonly expiresAt: number | null;
  /** How long the new key works, in milliseconds. Replaces `expiresAt`. */
  readonly lifetime?: number;
}

/** Each method refuses an unknown ID with not_found. The time is that of the key's mode, whose test clock may be moved. */
@Injectable()
export class ManageApiKeys {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly organizations: Organizations,
    private readonly authenticate: Authenticate,
    private readonly clock: CallerClock,
  ) {}

  async create(input: NewApiKey): Promise<IssuedApiKey> {
    if (input.organization !== null) await this.requireOrganization(input.organization);
    return this.issue(input);
  }

  /** Of an organization, or with null those that belong to none. */
  async list(organization: string | null): Promise<ApiKey[]> {
    if (organization !== null) await this.requireOrganization(organization);
    return this.apiKeys.ofOrganization(organization);
  }

  /** Newest first. */
  async page(organization: string, page: PageRequest): Promise<Page<ApiKey>> {
    return this.apiKeys.pageOf(organization, page);
  }

  /** Refuses a key that belongs to no organization, as one that does not exist. */
  async requireOwned(id: string): Promise<void> {
    if (!(await this.apiKeys.byId(id))?.state.organization) throw notFound('id');
  }

  /** To be called once a change is committed, if it was made in a transaction: before, the key as it was can be cached again. */
  forget(): void {
    this.authenticate.forget();
  }

  async revoke(id: string): Promise<ApiKey> {
    const { caller } = await this.find(id);
    const { now } = await this.clock.at(caller);
    const key = await this.apiKeys.revoke(id, now);
    this.authenticate.forget();
    return key;
  }

  /** Issues a key like the old one, which still works for the overlap. Refuses with invalid_param a revoked or expired key. */
  async rotate(id: string, { overlap, ...life }: Rotation): Promise<RotatedApiKey> {
    const old = await this.find(id);
    const { now } = await this.clock.at(old.caller);
    if (old.faultAt(now)) {
      throw invalidParam('id', 'invalid_value', 'This key is revoked or expired: create a new one.');
    }
    const { kind, mode, organization, holder, rights, allowedOrigins } = old.state;
    const issued = await this.issue({ kind, mode, organization, holder, rights, allowedOrigins, ...life });
    const end = now + overlap;
    const ending = await this.apiKeys.expireBy(id, end);
    this.authenticate.forget();
    return { ...issued, previousExpiresAt: ending.state.expiresAt ?? end };
  }

  private async find(id: string): Promise<ApiKey> {
    const key = await this.apiKeys.byId(id);
    if (!key) throw notFound('key');
    return key;
  }

  private async issue(input: NewApiKey): Promise<IssuedApiKey> {
    const issued = ApiKey.create(input, await this.clock.at(callerOf(input)));
    await this.apiKeys.add(issued.key, issued.token);
    return issued;
  }

  private async requireOrganization(id: string): Promise<void> {
    if (!(await this.organizations.exists(id))) throw notFound('organization');
  }
}
