import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { HttpResponse, listResponse } from '../../../../request/response.js';
import { Ledger, LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { LedgerRequest, OwnerRequest } from '../../../../request/validation/ledger-request.js';
import { ValidQuery, ValidRequest } from '../../../../request/validation/validation.js';
import { Payments } from '../../application/ports.js';
import { RecordPayment } from '../../application/record-payment.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { PAYMENT_RESOURCE } from '../../resources.js';
import {
  LEDGER_PAYMENT,
  LEDGER_PAYMENT_LIST,
  ledgerPaymentView,
} from '../representation/payments.views.js';
import {
  ListLedgerPaymentsQuery,
  RecordPaymentRequest,
  toFilter,
  toNewPayment,
} from './payments.requests.js';

@Controller(PAYMENT_RESOURCE.ledger.path)
@LedgerKey()
@Tag('Ledger: payments', 'Payments, recorded by the component that captures them.')
export class LedgerPaymentsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly recordPayment: RecordPayment,
    private readonly payments: Payments,
  ) {}

  @Operation('recordPayment', {
    summary: 'Record a captured payment',
    description:
      'Records a captured payment. A payment for a checkout session completes the session. If ' +
      'the payment does not match the session, it is refused or, with `on_mismatch: "record"`, ' +
      'recorded with the reason in `mismatch`. Repeating a request with the same `reference` ' +
      'returns the first payment.',
    answers: {
      201: { description: 'The recorded payment.', schema: LEDGER_PAYMENT, located: true },
      200: {
        description: 'The payment that was recorded earlier with this `reference`.',
        schema: LEDGER_PAYMENT,
      },
    },
  })
  @Post()
  @IdempotencyKey('required')
  record(
    @Ledger() ledger: Ledger,
    @ValidRequest(RecordPaymentRequest) request: KeyedRequest<RecordPaymentRequest>,
  ) {
    const caller = { organization: request.body.organization, ...ledger };
    return this.idempotency.once(
      caller,
      request,
      (unit) =>
        this.recordPayment.execute(unit, toNewPayment(request.body), request.body.on_mismatch),
      ({ payment, isNew }) =>
        new HttpResponse({
          status: isNew ? 201 : 200,
          body: JSON.stringify(ledgerPaymentView(payment)),
          location: isNew ? `${PAYMENT_RESOURCE.ledger.path}/${payment.state.id}` : null,
        }),
    );
  }

  @Operation('listLedgerPayments', {
    summary: 'List payments of all organizations',
    description: 'Lists the payments of every organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of payments.', schema: LEDGER_PAYMENT_LIST } },
  })
  @Get()
  async list(@Ledger() ledger: Ledger, @ValidQuery() query: ListLedgerPaymentsQuery) {
    return listResponse(
      await this.payments.listOfAll(ledger, toFilter(ledger, query)),
      ledgerPaymentView,
    );
  }

  @Operation('readLedgerPayment', {
    summary: 'Retrieve a payment of an organization',
    answers: { 200: { description: 'The payment.', schema: LEDGER_PAYMENT } },
  })
  @Get(':id')
  async read(@LedgerRequest(PAYMENT_ID, OwnerRequest) { caller, id }: LedgerRequest) {
    return ledgerPaymentView(await this.payments.get(caller, id));
  }
}
