import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { Id, WebUrl } from '../../../../validation/fields.js';

export class SetPaymentUrlRequest {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the session.' }) organization!: string;
  @WebUrl({
    description:
      'URL where the customer pays: an absolute https URL, in test mode also http to localhost. After its host, Tillgate ' +
      'replaces `{CHECKOUT_SESSION_ID}`, `{ORGANIZATION}`, `{RETURN_URL}` and `{CANCEL_URL}`.',
  })
  payment_url!: string;
}
