import { Amount, Formatted } from '../../../../platform/http/rules.js';
import type { NewPayment } from '../../domain/payment.js';

export class RecordPaymentRequest {
  @Formatted('org-id') organization!: string;
  @Amount({ min: 1 }) amount!: number;
  @Formatted('currency') currency!: string;
  @Formatted('cs-id', { optional: true }) checkout_session?: string | null;
  @Formatted('visible-ascii', { optional: true }) reference?: string | null;
}

export function toNewPayment({ amount, currency, checkout_session, reference }: RecordPaymentRequest): NewPayment {
  return { amount, currency, checkoutSession: checkout_session ?? null, reference: reference ?? null };
}
