import { listOf } from '../../../../request/list.view.js';
import {
  constant,
  id,
  integer,
  nullable,
  object,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import type { RotatedSecret } from '../../application/manage-organizations.js';
import { type Organization, REFUND_APPROVALS } from '../../domain/organization.js';

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
    details_retention_days: nullable(integer('How many days the details of closed sessions are kept.')),
    created: timestamp('Time of creation, in Unix seconds.'),
  },
  { name: 'Organization', description: 'A merchant, whose data is kept apart from that of all others.' },
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

export function organizationView({ id, reference, settings }: Organization): ValueOf<typeof ORGANIZATION> {
  return {
    id,
    object: 'organization',
    name: settings.name,
    reference,
    contact: settings.contact,
    terms_url: settings.termsUrl,
    privacy_url: settings.privacyUrl,
    payment_url: { test: settings.paymentUrl.test, live: settings.paymentUrl.live },
    refund_approval: settings.refundApproval,
    details_retention_days: settings.detailsRetentionDays,
    created: createdAt(id),
  };
}

export function webhookSecretView(rotated: RotatedSecret): ValueOf<typeof WEBHOOK_SECRET> {
  const { organization, secret, previousExpiresAt } = rotated;
  return { object: 'webhook_secret', organization, secret, previous_expires_at: Math.floor(previousExpiresAt / 1000) };
}
