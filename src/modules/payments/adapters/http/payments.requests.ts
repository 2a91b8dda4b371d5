import { Amount, Formatted } from '../../../../platform/http/rules.js';
import type { NewPayment } from '../../domain/payment.js';

export class RecordPaymentRequest {
  @Formatted('org-id', { description: 'Whose payment it is.' }) organization!: string;
  @Amount({ min: 1, description: 'What was captured, in the minor unit of the currency.' }) amount!: number;
  @Formatted('currency', { description: 'ISO 4217 code of a currency with a minor unit, in any case.' })
  currency!: string;
  @Formatted('cs-id', { optional: true, description: 'The session it was captured for, which it completes.' })
  checkout_session?: string | null;
  @Formatted('visible-ascii', {
    optional: true,
    description: "The ledger's own identifier of the capture, unique in organization and mode.",
  })
  reference?: string | null;
}

export function toNewPayment({ amount, currency, checkout_session, reference }: RecordPaymentRequest): NewPayment {
  return { amount, currency, checkoutSession: checkout_session ?? null, reference: reference ?? null };
}
