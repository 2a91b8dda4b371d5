import {
  Amount,
  Currency,
  Id,
  OneOf,
  Text,
  VisibleAscii,
} from '../../../../request/validation/fields.js';
import { Owner } from '../../../../request/validation/ledger-request.js';
import { PageOf, pageRequest } from '../../../../request/validation/list.query.js';
import type { Ledger } from '../../../../shared/caller.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { filterId } from '../../../../shared/own-id.js';
import { CHECKOUT_SESSION_ID, ON_MISMATCH, type OnMismatch } from '../../../checkout/index.js';
import type { LedgerHoldFilter, LedgerPaymentFilter } from '../../application/ports.js';
import { HOLD_ID, HOLD_STATUSES, type HoldStatus } from '../../domain/hold.js';
import { type NewPayment, PAYMENT_ID } from '../../domain/payment.js';

export class RecordPaymentRequest {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the payment.' })
  organization!: string;
  @Amount({ min: 1, description: 'Captured amount, in the minor unit of the currency.' })
  amount!: number;
  @Currency({
    description: 'ISO 4217 code of a currency with a minor unit, in upper or lower case.',
  })
  currency!: string;
  @Id(CHECKOUT_SESSION_ID, {
    optional: true,
    description:
      'ID of the checkout session that the payment is for. A payment that matches completes ' +
      'the session.',
  })
  checkout_session?: string | null;
  @VisibleAscii({
    optional: true,
    description: 'Your own ID of the capture, unique per organization and mode.',
  })
  reference?: string | null;
  @OneOf(ON_MISMATCH, {
    optional: true,
    default: 'refuse',
    description:
      'What to do with a payment that does not match its session: `refuse` it, or `record` it ' +
      'without changing the session.',
  })
  on_mismatch?: OnMismatch;
}

export function toNewPayment({
  amount,
  currency,
  checkout_session,
  reference,
}: RecordPaymentRequest): NewPayment {
  return {
    amount,
    currency,
    checkoutSession: checkout_session ?? null,
    reference: reference ?? null,
  };
}

export class PayCheckoutSessionRequest {
  @Amount({
    min: 1,
    optional: true,
    description:
      'Captured amount, in the minor unit of the currency. Default: the total of the session.',
  })
  amount?: number;
  @Currency({ optional: true, description: 'ISO 4217 code. Default: the currency of the session.' })
  currency?: string | null;
}

export class ListPaymentsQuery extends PageOf(PAYMENT_ID) {
  @Id(CHECKOUT_SESSION_ID, {
    optional: true,
    description: 'Only payments for this checkout session.',
  })
  checkout_session?: string;
}

export class ListLedgerPaymentsQuery extends PageOf(PAYMENT_ID) {
  @VisibleAscii({ optional: true, description: 'Only payments recorded under this reference.' })
  reference?: string;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only payments of this organization.' })
  organization?: string;
  @Id(CHECKOUT_SESSION_ID, {
    optional: true,
    description: 'Only payments for this checkout session.',
  })
  checkout_session?: string;
}

export function toFilter(ledger: Ledger, query: ListLedgerPaymentsQuery): LedgerPaymentFilter {
  const { checkout_session, ...filter } = pageRequest(query);
  return { ...filter, checkoutSession: filterId(ledger, checkout_session) };
}

export class PlaceHoldRequest {
  @Amount({
    min: 1,
    optional: true,
    description:
      "Amount to hold, in the minor unit of the payment's currency. Default: its " +
      '`amount_refundable`.',
  })
  amount?: number;
  @Text({ max: 500, optional: true, description: 'Why the amount is on hold.' })
  reason?: string | null;
  @VisibleAscii({ optional: true, description: 'Your own ID of the dispute.' })
  reference?: string | null;
  @Owner() organization?: string | null;
}

export class ListHoldsQuery extends PageOf(HOLD_ID) {
  @Id(PAYMENT_ID, { optional: true, description: 'Only holds on this payment.' }) payment?: string;
  @OneOf(HOLD_STATUSES, { optional: true, description: 'Only holds with this status.' })
  status?: HoldStatus;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only holds of this organization.' })
  organization?: string;
}

export function toHoldFilter(ledger: Ledger, query: ListHoldsQuery): LedgerHoldFilter {
  return { ...pageRequest(query), payment: filterId(ledger, query.payment) };
}
