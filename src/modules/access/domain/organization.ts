import { newId, ORGANIZATION_ID } from '../../../shared/id.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';

export class Organization {
  private constructor(
    readonly id: string,
    readonly name: string,
    /** Signs this organization's webhooks, in the form of the Standard Webhooks specification. */
    readonly webhookSecret: string,
  ) {}

  static create(name: string, now: number): Organization {
    const trimmed = name.trim();
    if (trimmed.length < 1 || trimmed.length > 255) throw new RangeError('A name has 1 to 255 characters.');
    return new Organization(newId(ORGANIZATION_ID, now), trimmed, newWebhookSecret());
  }

  static restore(id: string, name: string, webhookSecret: string): Organization {
    return new Organization(id, name, webhookSecret);
  }
}
