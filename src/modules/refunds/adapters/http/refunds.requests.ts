import {
  Amount,
  Id,
  Integer,
  KeyText,
  OneOf,
  Text,
  VisibleAscii,
} from '../../../../request/validation/fields.js';
import { OwnerRequest } from '../../../../request/validation/ledger-request.js';
import { PageOf, pageRequest } from '../../../../request/validation/list.query.js';
import type { Ledger } from '../../../../shared/caller.js';
import { invalidParam } from '../../../../shared/errors.js';
import { ORGANIZATION_ID } from '../../../../shared/id.js';
import { filterId } from '../../../../shared/own-id.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import type { NewClaim } from '../../application/claim-refunds.js';
import type { RefundFilter } from '../../application/ports.js';
import {
  type Extension,
  type Failure,
  type MadeRefund,
  type NewRefund,
  PENDING,
  REFUND_ID,
  REFUND_STATUSES,
  type RefundStatus,
} from '../../domain/refund-state.js';

const DEFAULT_CLAIM = 10;
const DEFAULT_LEASE_SECONDS = 60;
const LONGEST_LEASE_SECONDS = 3600;
/** This is 60 days: a payment provider that has the refund may take weeks to pay it out. */
const LONGEST_LEASE_AT_PROVIDER_SECONDS = 5_184_000;
const LONGEST_DELAY_SECONDS = 604_800;

export class ProposeRefundRequest {
  @Id(PAYMENT_ID, { description: 'ID of the payment to refund.' }) payment!: string;
  @Amount({
    min: 1,
    description:
      "Amount to refund, in the minor unit of the payment's currency. At most its " +
      '`amount_refundable`.',
  })
  amount!: number;
  @KeyText({
    optional: true,
    description:
      'Your own ID of the refund, unique per organization and mode for ever. Repeating it with ' +
      'the same payment and amount returns the first refund.',
  })
  reference?: string | null;
  @Text({
    max: 500,
    optional: true,
    description: 'Your description, for the ledger and in events.',
  })
  description?: string | null;
}

export function toNewRefund({
  payment,
  amount,
  reference,
  description,
}: ProposeRefundRequest): NewRefund {
  return { payment, amount, reference: reference ?? null, description: description ?? null };
}

export class RecordRefundRequest extends ProposeRefundRequest {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the payment.' })
  organization!: string;
  @VisibleAscii({
    description: "The payment provider's ID of the payout, unique per organization and mode.",
  })
  provider_reference!: string;
}

export function toMadeRefund(body: RecordRefundRequest): MadeRefund {
  return { ...toNewRefund(body), providerReference: body.provider_reference };
}

export class RejectRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why, for people.' }) comment?: string | null;
}

export class ApproveRefundRequest extends RejectRefundRequest {
  @Amount({ min: 1, description: 'The amount of the refund, as you have seen it.' })
  amount!: number;
}

const ClaimNumber = ({ optional = false } = {}) =>
  Integer({
    min: 1,
    max: 2_147_483_647,
    optional,
    description: 'The `claim.number` of your claim on the refund.',
  });

const LeaseSeconds = (max: number, more = '') =>
  Integer({
    min: 15,
    max,
    optional: true,
    default: DEFAULT_LEASE_SECONDS,
    description: `Length of the lease, in seconds from now.${more}`,
  });

const ProviderReference = () =>
  VisibleAscii({ optional: true, description: "The payment provider's ID of the payout." });

export class ClaimRefundsRequest {
  @Integer({
    min: 1,
    max: 100,
    optional: true,
    default: DEFAULT_CLAIM,
    description: 'Maximum number of refunds.',
  })
  limit?: number;
  @LeaseSeconds(LONGEST_LEASE_SECONDS) lease_seconds?: number;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only refunds of this organization.' })
  organization?: string | null;
}

export function toClaim(body: ClaimRefundsRequest): NewClaim {
  const {
    limit = DEFAULT_CLAIM,
    lease_seconds: leaseSeconds = DEFAULT_LEASE_SECONDS,
    organization,
  } = body;
  return { limit, leaseSeconds, organization: organization ?? undefined };
}

export class ExtendClaimRequest extends OwnerRequest {
  @ClaimNumber() claim!: number;
  @LeaseSeconds(
    LONGEST_LEASE_AT_PROVIDER_SECONDS,
    ` At most ${LONGEST_LEASE_SECONDS} without a \`provider_reference\`.`,
  )
  lease_seconds?: number;
  @ProviderReference() provider_reference?: string | null;
}

/** Refuses a long lease of a refund that no provider has with invalid_param. */
export function toExtension(body: ExtendClaimRequest): Extension {
  const { claim, lease_seconds: leaseSeconds = DEFAULT_LEASE_SECONDS, provider_reference } = body;
  const providerReference = provider_reference ?? null;
  if (providerReference !== null || leaseSeconds <= LONGEST_LEASE_SECONDS) {
    return { claim, leaseSeconds, providerReference };
  }
  throw invalidParam(
    'lease_seconds',
    'too_large',
    `lease_seconds must be at most ${LONGEST_LEASE_SECONDS} without a provider_reference.`,
  );
}

export class ReleaseClaimRequest extends OwnerRequest {
  @ClaimNumber() claim!: number;
  @Integer({
    min: 0,
    max: LONGEST_DELAY_SECONDS,
    optional: true,
    default: 0,
    description: 'How long the refund cannot be claimed again, in seconds.',
  })
  delay_seconds?: number;
}

export class SucceedRefundRequest extends OwnerRequest {
  @ClaimNumber({ optional: true }) claim?: number;
  @ProviderReference() provider_reference?: string | null;
}

export class FailRefundRequest extends OwnerRequest {
  @Text({ max: 500, optional: true, description: 'Why the refund failed.' }) reason?: string | null;
  @ClaimNumber({ optional: true }) claim?: number;
  @ProviderReference() provider_reference?: string | null;
}

export function toFailure({ reason, claim, provider_reference }: FailRefundRequest): Failure {
  return {
    reason: reason ?? null,
    claim: claim ?? null,
    providerReference: provider_reference ?? null,
  };
}

export class ReturnRefundRequest extends OwnerRequest {
  @Text({ max: 500, optional: true, description: 'Why the money came back.' })
  reason?: string | null;
}

export class ListRefundsQuery extends PageOf(REFUND_ID) {
  @Id(PAYMENT_ID, { optional: true, description: 'Only refunds of this payment.' })
  payment?: string;
  @KeyText({ optional: true, description: 'Only the refund with this reference.' })
  reference?: string;
  @OneOf(REFUND_STATUSES, { optional: true, description: 'Only refunds with this status.' })
  status?: RefundStatus;
  @OneOf(['waiting'], { optional: true, description: 'Only refunds that wait for approval.' })
  approval?: string;
}

const ALL = 'all';

export class ListLedgerRefundsQuery extends PageOf(REFUND_ID) {
  @OneOf([...REFUND_STATUSES, ALL], {
    optional: true,
    default: PENDING,
    description: 'Only refunds with this status.',
  })
  status?: RefundStatus | typeof ALL;
  @Id(PAYMENT_ID, { optional: true, description: 'Only refunds of this payment.' })
  payment?: string;
  @Id(ORGANIZATION_ID, { optional: true, description: 'Only refunds of this organization.' })
  organization?: string;
}

export function toFilter(ledger: Ledger, query: ListRefundsQuery): RefundFilter {
  const { status, reference, approval } = query;
  const payment = filterId(ledger, query.payment);
  return { ...pageRequest(query), payment, status, reference, onlyWaiting: approval !== undefined };
}

export function toLedgerFilter(ledger: Ledger, query: ListLedgerRefundsQuery): RefundFilter {
  const { status: wanted = PENDING, organization } = query;
  const status = wanted === ALL ? undefined : wanted;
  const payment = filterId(ledger, query.payment);
  return { ...pageRequest(query), status, payment, organization };
}
