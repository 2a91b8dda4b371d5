import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { EventsModule } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import { OutboxRefundEvents, PAID_UNAPPROVED } from './adapters/events/outbox-refund-events.js';
import { ApprovalsController } from './adapters/http/approvals.controller.js';
import { LedgerClaimsController } from './adapters/http/ledger-claims.controller.js';
import { LedgerRefundsController } from './adapters/http/ledger-refunds.controller.js';
import { RefundHelpersController } from './adapters/http/refund-helpers.controller.js';
import { RefundsController } from './adapters/http/refunds.controller.js';
import { STUCK_REFUNDS, UNAPPROVED_REFUNDS } from './adapters/persistence/diagnoses.js';
import { REFUND_INVARIANTS } from './adapters/persistence/invariants.js';
import { REFUND_MEASUREMENT } from './adapters/persistence/metrics.js';
import { PostgresClaims } from './adapters/persistence/postgres-claims.js';
import { RefundRecord } from './adapters/persistence/refund.record.js';
import { REFUND_TRACES } from './adapters/persistence/refund-traces.js';
import { TypeormRefunds } from './adapters/persistence/typeorm-refunds.js';
import { ApprovalSweeper } from './adapters/schedule/approval-sweeper.js';
import { ClaimRefunds } from './application/claim-refunds.js';
import { DecideRefund } from './application/decide-refund.js';
import { Claims, RefundEvents, Refunds } from './application/ports.js';
import { ProposeRefund } from './application/propose-refund.js';
import { RecordRefund } from './application/record-refund.js';
import { RepairPayment } from './application/repair-payment.js';
import { APPROVAL_AMOUNT_MISMATCH, SECOND_PERSON_REQUIRED } from './domain/approval.js';
import { REFUND_CLAIMED, REFUND_IN_PROGRESS } from './domain/claim.js';
import {
  REFUND_EXCEEDS_REMAINING,
  REFUND_NOT_PENDING,
  REFUND_NOT_SUCCEEDED,
  REFUND_REFERENCE_REUSED,
} from './domain/refusals.js';
import { REFUND_FACTS } from './facts.js';

@Module({
  imports: [EventsModule, PaymentsModule],
  controllers: [
    RefundsController,
    ApprovalsController,
    LedgerRefundsController,
    LedgerClaimsController,
    RefundHelpersController,
  ],
  providers: [
    ApprovalSweeper,
    ClaimRefunds,
    DecideRefund,
    ProposeRefund,
    RecordRefund,
    RepairPayment,
    { provide: Claims, useClass: PostgresClaims },
    { provide: RefundEvents, useClass: OutboxRefundEvents },
    { provide: Refunds, useClass: TypeormRefunds },
  ],
})
class RefundsModule {}

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
    SECOND_PERSON_REQUIRED,
    APPROVAL_AMOUNT_MISMATCH,
  ],
  resources: [REFUND_FACTS],
  invariants: REFUND_INVARIANTS,
  metrics: [PAID_UNAPPROVED],
  measurements: [REFUND_MEASUREMENT],
  diagnoses: [STUCK_REFUNDS, UNAPPROVED_REFUNDS],
  traces: [REFUND_TRACES],
};
