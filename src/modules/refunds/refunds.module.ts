import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/index.js';
import { LedgerRefundsController } from './adapters/http/ledger-refunds.controller.js';
import { RefundsController } from './adapters/http/refunds.controller.js';
import { PaymentsRefundable } from './adapters/payments/payments-refundable.js';
import { TypeormBooks } from './adapters/persistence/typeorm-books.js';
import { TypeormLedgerRefunds } from './adapters/persistence/typeorm-ledger-refunds.js';
import { TypeormRefunds } from './adapters/persistence/typeorm-refunds.js';
import { ListProposals } from './application/list-proposals.js';
import { ListRefunds } from './application/list-refunds.js';
import { LedgerRefunds, RefundablePayments, Refunds } from './application/ports.js';
import { ProposeRefund } from './application/propose-refund.js';
import { ReadRefund } from './application/read-refund.js';
import { Books, Reconcile } from './application/reconcile.js';
import { SettleRefund } from './application/settle-refund.js';

/** Refund proposals. What becomes of them is the ledger's decision. */
@Module({
  imports: [PaymentsModule],
  controllers: [RefundsController, LedgerRefundsController],
  providers: [
    ListProposals,
    Reconcile,
    { provide: Books, useClass: TypeormBooks },
    ListRefunds,
    ProposeRefund,
    ReadRefund,
    SettleRefund,
    { provide: LedgerRefunds, useClass: TypeormLedgerRefunds },
    { provide: RefundablePayments, useClass: PaymentsRefundable },
    { provide: Refunds, useClass: TypeormRefunds },
  ],
  exports: [Reconcile],
})
export class RefundsModule {}
