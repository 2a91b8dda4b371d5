import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { ApiKey, type NewApiKey } from '../domain/api-key.js';
import { Authenticate } from './authenticate.js';
import { ApiKeys, Organizations } from './ports.js';

/** A key with its token, which can be shown only now. */
export interface IssuedApiKey {
  readonly key: ApiKey;
  readonly token: string;
}

/** What an operator does with keys. Each method throws a not_found refusal for an unknown id. */
@Injectable()
export class ManageApiKeys {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly organizations: Organizations,
    private readonly authenticate: Authenticate,
    private readonly clock: Clock,
  ) {}

  async create(input: NewApiKey): Promise<IssuedApiKey> {
    if (input.organization !== null) await this.requireOrganization(input.organization);
    return this.issue(input);
  }

  /** An organization's keys, or the ledger's for null. */
  async list(organization: string | null): Promise<ApiKey[]> {
    if (organization !== null) await this.requireOrganization(organization);
    return this.apiKeys.ofOrganization(organization);
  }

  async revoke(id: string): Promise<ApiKey> {
    const key = await this.apiKeys.revoke(id);
    if (!key) throw notFound('key');
    this.authenticate.forget();
    return key;
  }

  /** A new key like the old one, which goes on working for the overlap (milliseconds). */
  async rotate(id: string, overlap: number): Promise<IssuedApiKey> {
    const old = await this.apiKeys.byId(id);
    if (!old?.isActive(this.clock.now())) throw notFound('key');
    const { kind, mode, organization, allowedOrigins, expiresAt } = old.facts;
    const issued = await this.issue({ kind, mode, organization, allowedOrigins, expiresAt });
    await this.apiKeys.expireBy(id, this.clock.now() + overlap);
    this.authenticate.forget();
    return issued;
  }

  private async issue(input: NewApiKey): Promise<IssuedApiKey> {
    const issued = ApiKey.create(input, this.clock.now());
    await this.apiKeys.add(issued.key, issued.token);
    return issued;
  }

  private async requireOrganization(id: string): Promise<void> {
    if (!(await this.organizations.exists(id))) throw notFound('organization');
  }
}
