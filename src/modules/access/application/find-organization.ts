import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import type { Organization } from '../domain/organization.js';
import { ApiKeys, Organizations } from './ports.js';

@Injectable()
export class FindOrganization {
  constructor(
    private readonly organizations: Organizations,
    private readonly apiKeys: ApiKeys,
    private readonly clock: CallerClock,
  ) {}

  async exists(id: string): Promise<boolean> {
    return this.organizations.exists(id);
  }

  async any(): Promise<boolean> {
    return this.organizations.any();
  }

  async byId(id: string): Promise<Organization> {
    const organization = await this.organizations.byId(id);
    if (!organization) throw notFound('organization');
    return organization;
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    const { now } = await this.clock.at(caller);
    return this.apiKeys.originsOf(caller, now);
  }

  async all(): Promise<Organization[]> {
    return this.organizations.all();
  }
}
