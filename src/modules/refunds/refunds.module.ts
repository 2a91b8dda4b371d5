import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/index.js';
import { RefundsController } from './adapters/http/refunds.controller.js';
import { PaymentsRefundable } from './adapters/payments/payments-refundable.js';
import { TypeormRefunds } from './adapters/persistence/typeorm-refunds.js';
import { RefundablePayments, Refunds } from './application/ports.js';
import { ProposeRefund } from './application/propose-refund.js';
import { ReadRefund } from './application/read-refund.js';

/** Refund proposals. What becomes of them is the ledger's decision. */
@Module({
  imports: [PaymentsModule],
  controllers: [RefundsController],
  providers: [
    ProposeRefund,
    ReadRefund,
    { provide: RefundablePayments, useClass: PaymentsRefundable },
    { provide: Refunds, useClass: TypeormRefunds },
  ],
})
export class RefundsModule {}
