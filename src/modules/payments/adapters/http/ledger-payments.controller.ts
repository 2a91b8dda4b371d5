import { Body, Controller, Post } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Ledger } from '../../../../shared/caller.js';
import { LedgerOfKey } from '../../../access/index.js';
import { type RecordedPayment, RecordPayment } from '../../application/record-payment.js';
import { RecordPaymentRequest, toNewPayment } from './payments.requests.js';
import { ledgerPaymentView } from './payments.views.js';

/** The ledger tells what it captured. */
@Controller('ledger/v1/payments')
@Gated('ledger')
export class LedgerPaymentsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly recordPayment: RecordPayment,
  ) {}

  @Post()
  @RequireIdempotencyKey()
  record(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @Body() body: RecordPaymentRequest,
  ): Promise<Answer> {
    const { organization } = body;
    const caller = { organization, mode: ledger.mode };
    const answerTo = ({ payment, isNew }: RecordedPayment) =>
      new Answer(isNew ? 201 : 200, JSON.stringify(ledgerPaymentView(organization, payment)));
    return this.idempotency.once(caller, { ...request, body }, async (keep) =>
      answerTo(
        await this.recordPayment.execute(caller, toNewPayment(body), (payment) =>
          keep(answerTo({ payment, isNew: true })),
        ),
      ),
    );
  }
}
