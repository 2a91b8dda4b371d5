import { Amount, Currency, Id, VisibleAscii } from '../../../../platform/http/fields.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import type { NewPayment } from '../../domain/payment.js';

export class RecordPaymentRequest {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the payment.' }) organization!: string;
  @Amount({ min: 1, description: 'Captured amount, in the minor unit of the currency.' }) amount!: number;
  @Currency({ description: 'ISO 4217 code of a currency with a minor unit, in upper or lower case.' })
  currency!: string;
  @Id(CHECKOUT_SESSION_ID, {
    optional: true,
    description: 'ID of the checkout session that the payment is for. The payment completes the session.',
  })
  checkout_session?: string | null;
  @VisibleAscii({
    optional: true,
    description: 'Your own ID of the capture, unique per organization and mode.',
  })
  reference?: string | null;
}

export function toNewPayment({ amount, currency, checkout_session, reference }: RecordPaymentRequest): NewPayment {
  return { amount, currency, checkoutSession: checkout_session ?? null, reference: reference ?? null };
}
