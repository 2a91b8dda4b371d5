import { Injectable } from '@nestjs/common';
import { notFound } from '../../../shared/errors.js';
import type { Organization } from '../domain/organization.js';
import { Organizations } from './ports.js';

@Injectable()
export class FindOrganization {
  constructor(private readonly organizations: Organizations) {}

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

  async all(): Promise<Organization[]> {
    return this.organizations.all();
  }
}
