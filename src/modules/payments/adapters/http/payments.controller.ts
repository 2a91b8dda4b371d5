import { Controller, Get } from '@nestjs/common';
import { listResponse } from '../../../../request/response.js';
import { Caller, Operation, Tag } from '../../../../request/route.js';
import { NoFieldsRequest, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import { inModeOf } from '../../../../shared/own-id.js';
import { Payments } from '../../application/ports.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { PAYMENT_RESOURCE } from '../../resources.js';
import { PAYMENT, PAYMENT_LIST, paymentView } from '../representation/payments.views.js';
import { ListPaymentsQuery, toFilter } from './payments.requests.js';

@Controller(PAYMENT_RESOURCE.secret.path)
@Tag('Payments', 'Captured payments, and how much of each can still be refunded.')
export class PaymentsController {
  constructor(private readonly payments: Payments) {}

  @Operation('listPayments', {
    summary: 'List payments',
    description: 'Lists the payments of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of payments.', schema: PAYMENT_LIST } },
  })
  @Get()
  async list(@Caller() caller: Caller, @ValidQuery() query: ListPaymentsQuery) {
    return listResponse(await this.payments.list(caller, toFilter(caller, query)), paymentView);
  }

  @Operation('readPayment', {
    summary: 'Retrieve a payment',
    description: 'Returns a payment of your organization, in test or live mode.',
    answers: { 200: { description: 'The payment.', schema: PAYMENT } },
  })
  @Get(':id')
  async read(
    @Caller() caller: Caller,
    @PathId(PAYMENT_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    return paymentView(await this.payments.get(...inModeOf(id, caller)));
  }
}
