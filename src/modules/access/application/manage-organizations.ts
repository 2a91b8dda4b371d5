import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';
import { Organization, type OrganizationSettings } from '../domain/organization.js';
import { Authenticate } from './authenticate.js';
import { Organizations } from './ports.js';

interface Created {
  readonly organization: Organization;
  /** False if an organization was already created with the same reference. */
  readonly isNew: boolean;
}

@Injectable()
export class ManageOrganizations {
  constructor(
    private readonly organizations: Organizations,
    private readonly authenticate: Authenticate,
    private readonly clock: Clock,
  ) {}

  /** Creates an organization and its webhook secret. Refuses with invalid_param. */
  async create(name: string, reference: string | null = null): Promise<Organization> {
    const organization = Organization.create(name, this.clock.now(), reference);
    await this.organizations.add(organization, newWebhookSecret());
    return organization;
  }

  /** Safe to repeat with the same reference. Refuses with invalid_param and organization_reference_reused. */
  async createOnce(name: string, reference: string | null): Promise<Created> {
    const earlier = reference === null ? undefined : await this.organizations.byReference(reference);
    if (!earlier) return { organization: await this.create(name, reference), isNew: true };
    earlier.requireName(name);
    return { organization: earlier, isNew: false };
  }

  /** Sets what is given, in the open transaction; null removes it. Refuses with not_found and invalid_param. */
  async change(id: string, changed: Partial<OrganizationSettings>): Promise<Organization> {
    const organization = (await this.organizations.lock(id)).with(changed);
    await this.organizations.storeSettings(organization);
    // Who waits for approval is looked up with the key.
    this.authenticate.forget();
    return organization;
  }
}
