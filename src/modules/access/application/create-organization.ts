import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Organization } from '../domain/organization.js';
import { Organizations } from './ports.js';

@Injectable()
export class CreateOrganization {
  constructor(
    private readonly organizations: Organizations,
    private readonly clock: Clock,
  ) {}

  /** Throws RangeError for a name that is empty or too long. */
  async execute(name: string): Promise<Organization> {
    const organization = Organization.create(name, this.clock.now());
    await this.organizations.add(organization);
    return organization;
  }
}
