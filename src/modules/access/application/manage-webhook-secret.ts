import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';
import { Organizations } from './ports.js';

/** In milliseconds: how long the previous secret still signs, so that receivers have time to learn the new one. */
const OVERLAP_MS = 24 * 60 * 60_000;

export interface RotatedSecret {
  readonly secret: string;
  readonly previousExpiresAt: number;
}

@Injectable()
export class ManageWebhookSecret {
  constructor(
    private readonly organizations: Organizations,
    private readonly clock: Clock,
  ) {}

  /** Issues a new secret. A second rotation within the overlap ends the oldest secret at once. Refuses with not_found. */
  async rotate(organization: string, overlap = OVERLAP_MS): Promise<RotatedSecret> {
    const rotated = { secret: newWebhookSecret(), previousExpiresAt: this.clock.now() + overlap };
    if (!(await this.organizations.rotateWebhookSecret(organization, rotated))) throw notFound('organization');
    return rotated;
  }

  /** The secrets that sign now, the current one first. Refuses with not_found. */
  async active(organization: string): Promise<readonly string[]> {
    const secrets = await this.organizations.webhookSecrets(organization);
    if (!secrets) throw notFound('organization');
    const { current, previous, previousExpiresAt } = secrets;
    const overlaps = previous !== null && previousExpiresAt !== null && previousExpiresAt > this.clock.now();
    return overlaps ? [current, previous] : [current];
  }
}
