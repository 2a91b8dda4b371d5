import { Injectable } from '@nestjs/common';
import type { Organization, PublicDetails } from '../domain/organization.js';
import { Organizations } from './ports.js';

@Injectable()
export class ChangeOrganization {
  constructor(private readonly organizations: Organizations) {}

  /** Sets what is given, null removes it. Refuses with not_found and invalid_param. */
  async execute(id: string, changed: Partial<PublicDetails>): Promise<Organization> {
    const organization = (await this.organizations.byId(id)).with(changed);
    await this.organizations.storeDetails(organization);
    return organization;
  }
}
