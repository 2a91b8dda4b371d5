import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import type { Work } from '../../../shared/unit.js';
import { changesBetween } from '../domain/operator-event.js';
import { isEmail, Organization, type OrganizationChange } from '../domain/organization.js';
import { newWebhookSecret } from '../domain/webhook-secret.js';
import { Authenticate } from './authenticate.js';
import { Organizations, Trail } from './ports.js';

/**
 * The previous secret still signs for so many milliseconds, so that receivers have time to learn
 * the new one.
 */
const OVERLAP_MS = 24 * 60 * 60_000;

/** An e-mail address may be a person's, and the trail is kept for ever. */
const SHOWN = { contact: (contact: string) => (isEmail(contact) ? '[e-mail address]' : contact) };

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
    private readonly trail: Trail,
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
    const { id } = organization;
    const changes = changesBetween({}, { name: organization.settings.name, reference });
    this.trail.record(unit, {
      type: 'organization.created',
      organization: id,
      resource: id,
      changes,
    });
    return { organization, isNew: true, webhookSecret };
  }

  /** Sets the members that are given. Refuses with not_found and invalid_param. */
  async change(unit: Work, id: string, change: OrganizationChange): Promise<Organization> {
    const before = await this.organizations.lock(unit, id);
    const organization = before.with(change);
    this.organizations.storeSettings(unit, organization);
    const changes = changesBetween(before.members, organization.members, SHOWN);
    if (Object.keys(changes).length > 0)
      this.trail.record(unit, {
        type: 'organization.updated',
        organization: id,
        resource: id,
        changes,
      });
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
    const rotation = { type: 'webhook_secret.rotated', resource: organization } as const;
    this.trail.record(unit, { ...rotation, organization, changes: {} });
    return { organization, ...rotated };
  }

  /** Returns the webhook secrets that sign now, the current one first. Refuses with not_found. */
  async webhookSecrets(organization: string): Promise<readonly string[]> {
    return this.organizations.webhookSecrets(organization, this.clock.now());
  }
}
