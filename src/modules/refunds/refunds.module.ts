import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { EventsModule } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import { OutboxRefundEvents } from './adapters/events/outbox-refund-events.js';
import { LedgerClaimsController } from './adapters/http/ledger-claims.controller.js';
import { LedgerRefundChanges } from './adapters/http/ledger-refund-changes.js';
import { LedgerRefundsController } from './adapters/http/ledger-refunds.controller.js';
import { RefundsController } from './adapters/http/refunds.controller.js';
import { PaymentsRefundable } from './adapters/payments/payments-refundable.js';
import { REFUND_INVARIANTS } from './adapters/persistence/invariants.js';
import { REFUND_MEASUREMENT } from './adapters/persistence/metrics.js';
import { PostgresClaims } from './adapters/persistence/postgres-claims.js';
import { PostgresLedgerRefunds } from './adapters/persistence/postgres-ledger-refunds.js';
import { PostgresRefunds } from './adapters/persistence/postgres-refunds.js';
import { RefundRecord } from './adapters/persistence/refund.record.js';
import { CancelRefund } from './application/cancel-refund.js';
import { ClaimRefunds } from './application/claim-refunds.js';
import { ExtendClaim } from './application/extend-claim.js';
import { FailRefund } from './application/fail-refund.js';
import { Claims, LedgerRefunds, RefundablePayments, RefundEvents, Refunds } from './application/ports.js';
import { ProposeRefund } from './application/propose-refund.js';
import { ReleaseClaim } from './application/release-claim.js';
import { ReturnRefund } from './application/return-refund.js';
import { SucceedRefund } from './application/succeed-refund.js';
import { REFUND_CLAIMED, REFUND_IN_PROGRESS } from './domain/claim.js';
import {
  REFUND_EXCEEDS_REMAINING,
  REFUND_NOT_PENDING,
  REFUND_NOT_SUCCEEDED,
  REFUND_REFERENCE_REUSED,
} from './domain/refund.js';
import { REFUND_FACTS } from './facts.js';

@Module({
  imports: [EventsModule, PaymentsModule],
  controllers: [RefundsController, LedgerRefundsController, LedgerClaimsController],
  providers: [
    CancelRefund,
    ClaimRefunds,
    ExtendClaim,
    FailRefund,
    LedgerRefundChanges,
    ProposeRefund,
    ReleaseClaim,
    ReturnRefund,
    SucceedRefund,
    { provide: Claims, useClass: PostgresClaims },
    { provide: LedgerRefunds, useClass: PostgresLedgerRefunds },
    { provide: RefundablePayments, useClass: PaymentsRefundable },
    { provide: RefundEvents, useClass: OutboxRefundEvents },
    { provide: Refunds, useClass: PostgresRefunds },
  ],
  exports: [FailRefund, ReturnRefund, SucceedRefund],
})
export class RefundsModule {}

export const REFUNDS: ModuleFacts = {
  module: RefundsModule,
  records: [RefundRecord],
  errors: [
    REFUND_EXCEEDS_REMAINING,
    REFUND_NOT_PENDING,
    REFUND_IN_PROGRESS,
    REFUND_CLAIMED,
    REFUND_NOT_SUCCEEDED,
    REFUND_REFERENCE_REUSED,
  ],
  resources: [REFUND_FACTS],
  invariants: REFUND_INVARIANTS,
  measurements: [REFUND_MEASUREMENT],
};
