import { MODES, type Mode } from '../../../shared/caller.js';
import { type ErrorCode, invalidParam, paramError, refusal } from '../../../shared/errors.js';
import { newId, ORGANIZATION_ID } from '../../../shared/id.js';
import { isVisible } from '../../../shared/visible.js';
import { hasUser, isHttpUrl } from '../../../shared/web-url.js';
import { requireTemplate } from './payment-url.js';

/**
 * The setting says which refunds wait for approval: those that a key without the right to approve
 * proposed, or all.
 */
export const REFUND_APPROVALS = ['keys', 'all'] as const;
export const MAX_RETENTION_DAYS = 3650;

type Urls = Readonly<Record<Mode, string | null>>;

/**
 * These settings can be changed. Customers are shown the name, the contact (an e-mail address or a
 * URL) and the URLs.
 */
export interface OrganizationSettings
  extends Readonly<Record<'contact' | 'termsUrl' | 'privacyUrl', string | null>> {
  readonly name: string;
  /**
   * Customers pay at this URL, which has placeholders, unless a session has a payment URL of its
   * own.
   */
  readonly paymentUrl: Urls;
  readonly refundApproval: (typeof REFUND_APPROVALS)[number];
  /** The details of closed sessions are kept for so many days; null keeps them for ever. */
  readonly detailsRetentionDays: number | null;
  /** This is true if at most one session of each reference can be open or complete. */
  readonly uniqueReferences: boolean;
}

/** A member that is given changes; null removes its value. */
export interface OrganizationChange extends Partial<Omit<OrganizationSettings, 'paymentUrl'>> {
  readonly paymentUrl?: Partial<Urls> | undefined;
}

const NEW = {
  contact: null,
  termsUrl: null,
  privacyUrl: null,
  paymentUrl: { test: null, live: null },
  refundApproval: 'keys',
  detailsRetentionDays: null,
  uniqueReferences: false,
} as const;
const REFERENCE = /^(?! )[ -~]{1,255}(?<! )$/;
const MAX_LENGTH = 500;
/** Requests and the command line check the rest of an address. No URL has this form. */
const EMAIL = /^(?![\w+.-]+:)[^@]+@./;

export const ORGANIZATION_REFERENCE_REUSED: ErrorCode = {
  code: 'organization_reference_reused',
  kind: 'state',
  meaning: 'The reference was used for an organization with another name. Read that organization.',
};

export class Organization {
  private constructor(
    readonly id: string,
    /** This is the platform's own ID of the organization, unique for ever. */
    readonly reference: string | null,
    readonly settings: OrganizationSettings,
  ) {}

  /** Makes a new organization. Refuses with invalid_param. */
  static create(name: string, now: number, reference: string | null = null): Organization {
    const settings = { ...NEW, name: checkedName(name) };
    if (reference !== null && !REFERENCE.test(reference)) {
      const message =
        'reference must have 1 to 255 visible ASCII characters, with spaces only inside.';
      throw invalidParam('reference', 'invalid_format', message);
    }
    return new Organization(newId(ORGANIZATION_ID, now), reference, settings);
  }

  static restore(
    id: string,
    reference: string | null,
    settings: OrganizationSettings,
  ): Organization {
    return new Organization(id, reference, settings);
  }

  /**
   * Refuses another name than that of the organization, because the request repeats its reference.
   * The code is organization_reference_reused.
   */
  requireName(name: string): void {
    if (checkedName(name) === this.settings.name) return;
    const message = 'This reference was used for an organization with another name.';
    throw refusal(
      ORGANIZATION_REFERENCE_REUSED,
      paramError('reference', 'invalid_value', message),
      this.id,
    );
  }

  /** These are the settings by their names in the API, for whoever compares them. */
  get members() {
    const { settings } = this;
    return {
      name: settings.name,
      contact: settings.contact,
      terms_url: settings.termsUrl,
      privacy_url: settings.privacyUrl,
      'payment_url.test': settings.paymentUrl.test,
      'payment_url.live': settings.paymentUrl.live,
      refund_approval: settings.refundApproval,
      details_retention_days: settings.detailsRetentionDays,
      unique_references: settings.uniqueReferences,
    };
  }

  /** Changes the settings that are given. Refuses with invalid_param. */
  with({ paymentUrl = {}, ...changed }: OrganizationChange): Organization {
    const settings = {
      ...this.settings,
      ...changed,
      paymentUrl: { ...this.settings.paymentUrl, ...paymentUrl },
    };
    const { contact, termsUrl, privacyUrl } = settings;
    if (!isEmail(contact ?? ''))
      requireUrl('contact', contact, 'an e-mail address or an https URL');
    requireUrl('terms_url', termsUrl);
    requireUrl('privacy_url', privacyUrl);
    const name = checkedName(settings.name);
    for (const mode of MODES) requireTemplate(`payment_url.${mode}`, paymentUrl[mode], mode);
    return new Organization(this.id, this.reference, { ...settings, name });
  }
}

export const isEmail = (contact: string): boolean => EMAIL.test(contact);

function checkedName(name: string): string {
  const trimmed = name.trim();
  if ([...trimmed].length <= 255 && isVisible(trimmed)) return trimmed;
  throw invalidParam('name', 'invalid_format', 'A name has 1 to 255 characters.');
}

function requireUrl(param: string, url: string | null, what = 'an https URL'): void {
  if (url === null || (url.length <= MAX_LENGTH && /^https:/i.test(url) && isHttpUrl(url))) return;
  const fault = hasUser(url)
    ? 'not contain user information'
    : `be ${what} of at most ${MAX_LENGTH} characters`;
  throw invalidParam(param, 'invalid_format', `${param} must ${fault}.`);
}
