import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { EventsModule, recordedBy } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import {
  LedgerClaimsController,
  LedgerRefundsController,
} from './adapters/http/ledger-refunds.controller.js';
import { RefundHelpersController } from './adapters/http/refund-helpers.controller.js';
import { ApprovalsController, RefundsController } from './adapters/http/refunds.controller.js';
import { STUCK_REFUNDS, UNAPPROVED_REFUNDS } from './adapters/persistence/diagnoses.js';
import { REFUND_INVARIANTS } from './adapters/persistence/invariants.js';
import { REFUND_MEASUREMENT } from './adapters/persistence/metrics.js';
import { APPROVAL_WORK } from './adapters/persistence/pending-work.js';
import { PostgresClaims } from './adapters/persistence/postgres-claims.js';
import { RefundRecord } from './adapters/persistence/refund.record.js';
import { REFUND_PERSONAL_DATA } from './adapters/persistence/refund-personal-data.js';
import { TypeormRefunds } from './adapters/persistence/typeorm-refunds.js';
import { PAID_UNAPPROVED, toEvent } from './adapters/representation/refunds.views.js';
import { ApprovalSweeper } from './adapters/schedule/approval-sweeper.js';
import { ChangeRefund } from './application/change-refund.js';
import { ClaimRefunds } from './application/claim-refunds.js';
import { Claims, RefundEvents, Refunds } from './application/ports.js';
import { ProposeRefund } from './application/propose-refund.js';
import { RecordRefund } from './application/record-refund.js';
import { RepairPayment } from './application/repair-payment.js';
import { SettleRefund } from './application/settle-refund.js';
import { REFUND_ERRORS } from './domain/refusals.js';
import { REFUND_RESOURCE } from './resources.js';

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
    ChangeRefund,
    ProposeRefund,
    RecordRefund,
    RepairPayment,
    SettleRefund,
    recordedBy(RefundEvents, toEvent),
    { provide: Claims, useClass: PostgresClaims },
    { provide: Refunds, useClass: TypeormRefunds },
  ],
})
class RefundsModule {}

export const REFUNDS: ModuleDeclaration = {
  module: RefundsModule,
  records: [RefundRecord],
  errors: REFUND_ERRORS,
  resources: [REFUND_RESOURCE],
  invariants: REFUND_INVARIANTS,
  metrics: [PAID_UNAPPROVED],
  measurements: [REFUND_MEASUREMENT],
  diagnoses: [STUCK_REFUNDS, UNAPPROVED_REFUNDS],
  jobWork: [APPROVAL_WORK],
  personalData: REFUND_PERSONAL_DATA,
};
