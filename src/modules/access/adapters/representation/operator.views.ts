import { listOf } from '../../../../request/response.js';
import {
  constant,
  flag,
  id,
  integer,
  list,
  MODE,
  nullable,
  ORGANIZATION as OWNER,
  object,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import type { Mode } from '../../../../shared/caller.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import type { IssuedApiKey } from '../../application/manage-api-keys.js';
import type { RotatedSecret } from '../../application/manage-organizations.js';
import { API_KEY_ID, type ApiKey, OWNED_KINDS, RIGHTS } from '../../domain/api-key.js';
import {
  MAX_RETENTION_DAYS,
  type Organization,
  REFUND_APPROVALS,
} from '../../domain/organization.js';

const url = (what: string) => nullable(text(what, { format: 'iri' }));
const paymentUrl = (mode: string) => url(`Where customers pay in ${mode} mode.`);

export const ORGANIZATION = object(
  {
    id: id(ORGANIZATION_ID, 'ID of the organization.'),
    object: constant('organization', 'Object type.'),
    name: text('Name, which customers are shown.', { examples: ['Acme'] }),
    reference: nullable(text('Your own ID of the organization.', { examples: ['merchant-4711'] })),
    contact: nullable(text('Whom customers can ask: an e-mail address or a URL.')),
    terms_url: url('URL of the terms.'),
    privacy_url: url('URL of the privacy notice.'),
    payment_url: object({ test: paymentUrl('test'), live: paymentUrl('live') }),
    refund_approval: oneOf(REFUND_APPROVALS, 'Which refunds wait for approval.'),
    details_retention_days: nullable(
      integer('How many days the details of closed sessions are kept.', {
        minimum: 1,
        maximum: MAX_RETENTION_DAYS,
      }),
    ),
    unique_references: flag(
      'Whether at most one session can be open or complete for each `metadata.reference` and mode.',
      { examples: [false] },
    ),
    created: timestamp('Time of creation, in Unix seconds.'),
  },
  {
    name: 'Organization',
    description: 'A merchant, whose data is kept apart from that of all others.',
  },
);

export const ORGANIZATION_LIST = listOf('OrganizationList', ORGANIZATION);

export const WEBHOOK_SECRET = object(
  {
    object: constant('webhook_secret', 'Object type.'),
    organization: id(ORGANIZATION_ID, 'Organization whose webhooks it signs.'),
    secret: text('Signs the webhooks to a `notify_url`. Returned only here.', {
      examples: [`whsec_${'A'.repeat(43)}=`],
    }),
    previous_expires_at: timestamp('When the previous secret stops signing, in Unix seconds.'),
  },
  { name: 'WebhookSecret', description: 'The new secret of an organization.' },
);

export function organizationView({
  id,
  reference,
  settings,
}: Organization): ValueOf<typeof ORGANIZATION> {
  return {
    id,
    object: 'organization',
    name: settings.name,
    reference,
    contact: settings.contact,
    terms_url: settings.termsUrl,
    privacy_url: settings.privacyUrl,
    payment_url: settings.paymentUrl,
    refund_approval: settings.refundApproval,
    details_retention_days: settings.detailsRetentionDays,
    unique_references: settings.uniqueReferences,
    created: createdAt(id),
  };
}

export function webhookSecretView(rotated: RotatedSecret): ValueOf<typeof WEBHOOK_SECRET> {
  const { organization, secret, previousExpiresAt } = rotated;
  return {
    object: 'webhook_secret',
    organization,
    secret,
    previous_expires_at: seconds(previousExpiresAt),
  };
}

const KEY_FIELDS = {
  id: id(API_KEY_ID, 'ID of the key.'),
  object: constant('api_key', 'Object type.'),
  organization: OWNER,
  kind: oneOf(OWNED_KINDS, 'Whether its rights are restricted.'),
  mode: MODE,
  rights: list(oneOf(RIGHTS, 'Right.'), 'What a restricted key may do besides reading.'),
  holder: text('Who uses it, a person or a program.', { examples: ['Web shop'] }),
  prefix: text('The first characters of the key.', { examples: ['sk_test_7Yk2'] }),
  origins: list(
    text('Origin.', { examples: ['https://shop.example'] }),
    'Browser origins that may use it.',
  ),
  expires_at: nullable(timestamp('When it expires, in Unix seconds.')),
  revoked_at: nullable(timestamp('When it was revoked, in Unix seconds.')),
  last_used_at: nullable(timestamp('When it was last used, in Unix seconds, to the hour.')),
  created: timestamp('Time of creation, in Unix seconds.'),
};

export const API_KEY = object(KEY_FIELDS, {
  name: 'ApiKey',
  description: 'A key of an organization.',
});
export const API_KEY_LIST = listOf('ApiKeyList', API_KEY);
export const API_KEY_WITH_KEY = object(
  {
    ...KEY_FIELDS,
    key: text('The key. Returned only here.', { examples: [`sk_test_7Yk2${'x'.repeat(34)}`] }),
  },
  {
    name: 'ApiKeyWithKey',
    description: 'A new key of an organization, with what is sent to authenticate.',
  },
);

export function apiKeyView({ state }: ApiKey): ValueOf<typeof API_KEY> {
  return {
    id: state.id,
    object: 'api_key',
    organization: state.organization as string,
    kind: state.kind as (typeof OWNED_KINDS)[number],
    mode: state.mode as Mode,
    rights: state.rights,
    holder: state.holder,
    prefix: state.display,
    origins: state.origins,
    expires_at: seconds(state.expiresAt),
    revoked_at: seconds(state.revokedAt),
    last_used_at: seconds(state.lastUsedAt),
    created: createdAt(state.id),
  };
}

export function withKeyView({ key, token }: IssuedApiKey): ValueOf<typeof API_KEY_WITH_KEY> {
  return { ...apiKeyView(key), key: token };
}

const seconds = <Instant extends number | null>(instant: Instant) =>
  instant && Math.floor(instant / 1000);
