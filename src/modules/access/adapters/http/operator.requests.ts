import { pathOf } from '../../../../request/errors.js';
import type { KeyedRequest } from '../../../../request/idempotency/keyed-request.js';
import {
  Contact,
  Fields,
  Flag,
  Id,
  Integer,
  KeyText,
  ListOfOrigins,
  OneOf,
  SomeOf,
  Text,
  Time,
} from '../../../../request/validation/fields.js';
import { CURSOR, PageLimit } from '../../../../request/validation/list.query.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { notFound, Refusal } from '../../../../shared/errors.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { API_KEY_ID, callerOf, OWNED_KINDS, RIGHTS, type Right } from '../../domain/api-key.js';
import {
  MAX_RETENTION_DAYS,
  type OrganizationChange,
  type OrganizationSettings,
  REFUND_APPROVALS,
} from '../../domain/organization.js';

const LAST_SECOND = 253_402_300_799;
const DAY = 86_400;
const REFERENCE = 'Your own ID of the organization, unique for ever.';
const NAME = { min: 1, max: 255, description: 'Name, which customers are shown.' };

const removable = (what: string) => ({
  optional: true as const,
  description: `${what}. Null removes it.`,
});
const setting = (what: string, max = 500) => Text({ max, ...removable(what) });

/** All operators share this caller: their idempotency keys belong to the platform. */
export const OPERATOR = callerOf({ organization: null, mode: null });

/** The same idempotency key counts as another key on another path. */
export function ofPath<Body>(request: KeyedRequest<Body>): KeyedRequest<Body> {
  return { ...request, operation: `${request.method} ${pathOf(request.url)}` };
}

/** Names the path as the faulty parameter of a not_found refusal, because the ID stands there. */
export async function inPath<Result>(found: Promise<Result>): Promise<Result> {
  return found.catch((error) => {
    throw error instanceof Refusal && error.kind === 'missing' ? notFound('id') : error;
  });
}

export class CreateOrganizationRequest {
  @Text(NAME) name!: string;
  @KeyText({
    optional: true,
    description: `${REFERENCE} Repeating it with the same name returns the first organization.`,
  })
  reference?: string | null;
}

export class ListOrganizationsQuery {
  @KeyText({ optional: true, description: 'Only the organization with this reference.' })
  reference?: string;
  @PageLimit() limit?: string;
  @Id(ORGANIZATION_ID, CURSOR) cursor?: string;
}

export class PaymentUrlsRequest {
  @setting('Where customers pay in test mode: a URL with `{CHECKOUT_SESSION_ID}`', 8000)
  test?: string | null;
  @setting('Where customers pay in live mode: a URL with `{CHECKOUT_SESSION_ID}`', 8000)
  live?: string | null;
}

export class ChangeOrganizationRequest {
  @Text({ ...NAME, optional: true, nullable: false }) name?: string;
  @Contact(removable('Whom customers can ask: an e-mail address or an https URL'))
  contact?: string | null;
  @setting('URL of the terms, with `https`') terms_url?: string | null;
  @setting('URL of the privacy notice, with `https`') privacy_url?: string | null;
  @Fields(() => PaymentUrlsRequest, { optional: true, description: 'Only the given modes change.' })
  payment_url?: PaymentUrlsRequest;
  @OneOf(REFUND_APPROVALS, {
    optional: true,
    description:
      'Which refunds wait for approval: those that a restricted key without the right to ' +
      'approve proposed, or all.',
  })
  refund_approval?: OrganizationSettings['refundApproval'];
  @Integer({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_RETENTION_DAYS,
    description: 'How many days the details of closed sessions are kept. Null keeps them for ever.',
  })
  details_retention_days?: number | null;
  @Flag({
    optional: true,
    nullable: false,
    description:
      'Whether at most one session can be open or complete for each `metadata.reference` and ' +
      'mode. Sessions that are open already stay.',
  })
  unique_references?: boolean;
}

export class CreateApiKeyRequest {
  @OneOf(MODES, { description: 'Mode of the key. In `test` mode no money moves.' }) mode!: Mode;
  @OneOf(OWNED_KINDS, {
    optional: true,
    default: 'secret',
    description:
      'A `secret` key may do everything, a `restricted` one reads and does what its `rights` name.',
  })
  kind?: (typeof OWNED_KINDS)[number];
  @SomeOf(RIGHTS, {
    optional: true,
    default: [],
    description: 'What a restricted key may do besides reading.',
  })
  rights?: Right[];
  @Text({
    min: 1,
    max: 100,
    optional: true,
    description:
      'Who uses the key, a person or a program, in visible characters with spaces only inside. ' +
      'By default the ID of the key.',
  })
  holder?: string | null;
  @ListOfOrigins({
    max: 100,
    optional: true,
    default: [],
    description: 'Browser origins that may use it, for trusted pages only.',
  })
  origins?: string[];
  @expiry('By default never.') expires_at?: number | null;
}

export class RotateApiKeyRequest {
  @overlap(30 * DAY, 7 * DAY, 'How long the old key still works, in seconds.')
  overlap_seconds?: number;
  @expiry('By default when the old key would have; null: never.') expires_at?: number | null;
}

export class RotateWebhookSecretRequest {
  @overlap(7 * DAY, DAY, 'How long webhooks are also signed with the previous secret, in seconds.')
  overlap_seconds?: number;
}

export class ListApiKeysQuery {
  @PageLimit() limit?: string;
  @Id(API_KEY_ID, CURSOR) cursor?: string;
}

function expiry(byDefault: string) {
  const description = `When the new key expires, in Unix seconds. ${byDefault}`;
  return Time({ optional: true, nullable: true, max: LAST_SECOND, description });
}

function overlap(max: number, fallback: number, description: string) {
  return Integer({ min: 0, max, optional: true, default: fallback, description });
}

/** Changes only the fields that are in the body. */
export function toChange(body: ChangeOrganizationRequest): OrganizationChange {
  const {
    name,
    contact,
    terms_url,
    privacy_url,
    payment_url,
    refund_approval,
    details_retention_days: days,
    unique_references: uniqueReferences,
  } = body;
  return {
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
    ...(terms_url !== undefined && { termsUrl: terms_url }),
    ...(privacy_url !== undefined && { privacyUrl: privacy_url }),
    ...(payment_url && { paymentUrl: payment_url }),
    ...(refund_approval && { refundApproval: refund_approval }),
    ...(days !== undefined && { detailsRetentionDays: days }),
    ...(uniqueReferences !== undefined && { uniqueReferences }),
  };
}
