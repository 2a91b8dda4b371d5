import { Controller, Get } from '@nestjs/common';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { PathId } from '../../../../platform/http/path-id.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { ReadPayment } from '../../application/read-payment.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { PAYMENT_FACTS } from '../../facts.js';
import { PAYMENT, paymentView } from '../representation/payments.views.js';

@Controller(PAYMENT_FACTS.secret.path)
@Tag('Payments', 'What the ledger captured, and what is left to refund of it.')
export class PaymentsController {
  constructor(private readonly readPayment: ReadPayment) {}

  @Operation('readPayment', {
    summary: 'Read a payment',
    description: "One of the organization's own payments, of either mode.",
    answers: { 200: { description: 'The payment.', schema: PAYMENT } },
  })
  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId(PAYMENT_ID) id: string) {
    return paymentView(await this.readPayment.execute(caller, id));
  }
}
