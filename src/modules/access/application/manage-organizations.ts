import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import type { Work } from '../../../shared/unit.js';
import { Organization, type OrganizationChange } from '../domain/organization.js';
import { newWebhookSecret } from '../domain/webhook-secret.js';
import { Authenticate } from './authenticate.js';
import { Organizations } from './ports.js';

/**
 * The previous secret still signs for so many milliseconds, so that receivers have time to learn
 * the new one.
 */
const OVERLAP_MS = 24 * 60 * 60_000;

interface Created {
  readonly organization: Organization;
  /** This is false if an organization was already created with the same reference. */
  readonly isNew: boolean;
  /** This is the secret of its webhooks, if the organization is new. */
  readonly webhookSecret?: string;
}

export interface RotatedSecret {
  readonly organization: string;
  readonly secret: string;
  readonly previousExpiresAt: number;
}

@Injectable()
export class ManageOrganizations {
  constructor(
    private readonly organizations: Organizations,
    private readonly authenticate: Authenticate,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an organization. It is safe to repeat with the same reference. Refuses with
   * invalid_param and organization_reference_reused.
   */
  async create(unit: Work, name: string, reference: string | null = null): Promise<Created> {
    const [earlier] =
      reference === null ? [] : (await this.organizations.list({}, reference)).items;
    earlier?.requireName(name);
    if (earlier) return { organization: earlier, isNew: false };
    const organization = Organization.create(name, this.clock.now(), reference);
    const webhookSecret = newWebhookSecret();
    await this.organizations.add(unit, organization, webhookSecret);
    return { organization, isNew: true, webhookSecret };
  }

  /** Sets the members that are given. Refuses with not_found and invalid_param. */
  async change(unit: Work, id: string, change: OrganizationChange): Promise<Organization> {
    const organization = (await this.organizations.lock(unit, id)).with(change);
    this.organizations.storeSettings(unit, organization);
    // The cache is emptied, because a cached key has settings of its organization.
    unit.afterCommit(() => this.authenticate.forget());
    return organization;
  }

  /**
   * Issues a new webhook secret. A second rotation within the overlap ends the oldest secret at
   * once. Refuses with not_found.
   */
  async rotateWebhookSecret(
    unit: Work,
    organization: string,
    overlap = OVERLAP_MS,
  ): Promise<RotatedSecret> {
    const rotated = { secret: newWebhookSecret(), previousExpiresAt: this.clock.now() + overlap };
    await this.organizations.rotateWebhookSecret(unit, organization, rotated);
    return { organization, ...rotated };
  }

  /** Returns the webhook secrets that sign now, the current one first. Refuses with not_found. */
  async webhookSecrets(organization: string): Promise<readonly string[]> {
    return this.organizations.webhookSecrets(organization, this.clock.now());
  }
}
