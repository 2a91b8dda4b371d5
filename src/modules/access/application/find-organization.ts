import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { notFound, Refusal, SERVICE_UNAVAILABLE } from '../../../shared/errors.js';
import type { Organization } from '../domain/organization.js';
import { ApiKeys, Organizations } from './ports.js';

@Injectable()
export class FindOrganization {
  constructor(
    private readonly organizations: Organizations,
    private readonly apiKeys: ApiKeys,
    private readonly clock: CallerClock,
  ) {}

  /** Refuses with service_unavailable for an organization that is being moved to another database, or was moved. */
  async exists(id: string): Promise<boolean> {
    if (await this.organizations.isHere(id)) return true;
    if (await this.organizations.exists(id)) throw organizationAway();
    return false;
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
    return this.apiKeys.originsOf(caller, this.clock.at(caller).now);
  }

  async all(): Promise<Organization[]> {
    return this.organizations.all();
  }
}

export function organizationAway(): Refusal {
  return new Refusal(SERVICE_UNAVAILABLE, 'This organization is being moved. Try again later.');
}
