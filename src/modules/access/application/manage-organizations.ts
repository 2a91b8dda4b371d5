import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Organization, type OrganizationSettings } from '../domain/organization.js';
import { Organizations } from './ports.js';

@Injectable()
export class ManageOrganizations {
  constructor(
    private readonly organizations: Organizations,
    private readonly clock: Clock,
  ) {}

  /** Refuses with invalid_param a name that is empty or too long. */
  async create(name: string): Promise<Organization> {
    const organization = Organization.create(name, this.clock.now());
    await this.organizations.add(organization);
    return organization;
  }

  /** Sets what is given; null removes it. Refuses with not_found and invalid_param. */
  async change(id: string, changed: Partial<OrganizationSettings>): Promise<Organization> {
    const organization = (await this.organizations.byId(id)).with(changed);
    await this.organizations.storeSettings(organization);
    return organization;
  }
}
