import { invalidParam } from '../../../shared/errors.js';
import { newId, ORGANIZATION_ID } from '../../../shared/id.js';
import { isVisible } from '../../../shared/visible.js';
import { hasUser, isHttpUrl } from '../../../shared/web-url.js';
import { newWebhookSecret } from '../../../shared/webhook-secret.js';

/** What an organization shows to its customers. The contact is an e-mail address or a URL. */
export type PublicDetails = Readonly<Record<'contact' | 'termsUrl' | 'privacyUrl', string | null>>;

const MAX_LENGTH = 500;
const EMAIL = /^[\w.+-]{1,64}@(?=.{1,253}$)[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

export class Organization {
  private constructor(
    readonly id: string,
    readonly name: string,
    /** Signs this organization's webhooks, in the form of the Standard Webhooks specification. */
    readonly webhookSecret: string,
    readonly details: PublicDetails,
  ) {}

  static create(name: string, now: number): Organization {
    const trimmed = name.trim();
    if (trimmed.length > 255 || !isVisible(trimmed)) throw new RangeError('A name has 1 to 255 characters.');
    const details = { contact: null, termsUrl: null, privacyUrl: null };
    return new Organization(newId(ORGANIZATION_ID, now), trimmed, newWebhookSecret(), details);
  }

  static restore(id: string, name: string, webhookSecret: string, details: PublicDetails): Organization {
    return new Organization(id, name, webhookSecret, details);
  }

  /** Refuses with invalid_param. */
  with(changed: Partial<PublicDetails>): Organization {
    const details = { ...this.details, ...changed };
    if (!EMAIL.test(details.contact ?? '')) requireUrl('contact', details.contact, 'an e-mail address or an https URL');
    requireUrl('terms_url', details.termsUrl);
    requireUrl('privacy_url', details.privacyUrl);
    return new Organization(this.id, this.name, this.webhookSecret, details);
  }
}

function requireUrl(param: string, url: string | null, what = 'an https URL'): void {
  if (url === null || (url.length <= MAX_LENGTH && /^https:/i.test(url) && isHttpUrl(url))) return;
  const fault = hasUser(url) ? 'not contain user information' : `be ${what} of at most ${MAX_LENGTH} characters`;
  throw invalidParam(param, 'invalid_format', `${param} must ${fault}.`);
}
