import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { OfOrganizationQuery } from '../../../../platform/http/of-organization.request.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Ledger } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { modeOf } from '../../../../shared/id.js';
import { LedgerOfKey } from '../../../access/index.js';
import { ReadPayment } from '../../application/read-payment.js';
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
    private readonly readPayment: ReadPayment,
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

  @Get(':id')
  async read(
    @LedgerOfKey() { mode }: Ledger,
    @PathId('pay') id: string,
    @Query() { organization }: OfOrganizationQuery,
  ) {
    if (modeOf(id) !== mode) throw notFound('id');
    return ledgerPaymentView(organization, await this.readPayment.execute({ organization, mode }, id));
  }
}
