import { WebUrl } from '../../../../request/validation/fields.js';
import { Owner } from '../../../../request/validation/ledger-request.js';

export class SetPaymentUrlRequest {
  @Owner() organization?: string | null;
  @WebUrl({
    description:
      'URL where the customer pays: an absolute https URL, in test mode also http to ' +
      'localhost. After its host, Tillgate ' +
      'replaces `{CHECKOUT_SESSION_ID}`, `{ORGANIZATION}`, `{RETURN_URL}` and `{CANCEL_URL}`. ' +
      'Other braces must be ' +
      'percent-encoded, and not around a name.',
  })
  payment_url!: string;
}
