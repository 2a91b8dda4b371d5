import { Controller, Get } from '@nestjs/common';
import { listView } from '../../../../platform/http/list.view.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import type { Caller } from '../../../../shared/caller.js';
import { PathId, ValidQuery } from '../../../../validation/validation.js';
import { CallerOfKey } from '../../../access/index.js';
import { ListPayments } from '../../application/list-payments.js';
import { ReadPayment } from '../../application/read-payment.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { PAYMENT_FACTS } from '../../facts.js';
import { PAYMENT, PAYMENT_LIST, paymentView } from '../representation/payments.views.js';
import { ListPaymentsQuery, toFilter } from './payments.requests.js';

@Controller(PAYMENT_FACTS.secret.path)
@Tag('Payments', 'Captured payments, and how much of each can still be refunded.')
export class PaymentsController {
  constructor(
    private readonly readPayment: ReadPayment,
    private readonly listPayments: ListPayments,
  ) {}

  @Operation('listPayments', {
    summary: 'List payments',
    description: 'Lists the payments of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of payments.', schema: PAYMENT_LIST } },
  })
  @Get()
  async list(@CallerOfKey() caller: Caller, @ValidQuery() query: ListPaymentsQuery) {
    return listView(await this.listPayments.execute(caller, toFilter(query)), paymentView);
  }

  @Operation('readPayment', {
    summary: 'Retrieve a payment',
    description: 'Returns a payment of your organization, in test or live mode.',
    answers: { 200: { description: 'The payment.', schema: PAYMENT } },
  })
  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId(PAYMENT_ID) id: string) {
    return paymentView(await this.readPayment.execute(caller, id));
  }
}
