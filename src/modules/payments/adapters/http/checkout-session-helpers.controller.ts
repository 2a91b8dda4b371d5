import { Controller, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { changed } from '../../../../request/response.js';
import { Caller, Operation, Tag, TestSecretKey } from '../../../../request/route.js';
import { PathId, ValidRequest } from '../../../../request/validation/validation.js';
import { ownId } from '../../../../shared/own-id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { RecordPayment } from '../../application/record-payment.js';
import { PAYMENT, paymentView } from '../representation/payments.views.js';
import { PayCheckoutSessionRequest } from './payments.requests.js';

@Controller('/v1/test_helpers/checkout_sessions')
@TestSecretKey()
@Tag(
  'Test helpers',
  'Simulate customers, the ledger and time in test mode. A live key cannot call these operations.',
)
export class CheckoutSessionHelpersController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly recordPayment: RecordPayment,
  ) {}

  @Operation('payTestCheckoutSession', {
    summary: 'Pay a checkout session',
    description:
      'Records a payment for the session, as the ledger does when a customer has paid. Without ' +
      'a body, the payment matches the session and completes it. A payment that does not match ' +
      'is recorded with its `mismatch` and does not change the session.',
    answers: { 200: { description: 'The recorded payment.', schema: PAYMENT } },
  })
  @Post(':id/pay')
  @IdempotencyKey('accepted')
  pay(
    @Caller() caller: Caller,
    @ValidRequest(PayCheckoutSessionRequest) request: KeyedRequest<PayCheckoutSessionRequest>,
    @PathId(CHECKOUT_SESSION_ID) id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.recordPayment.pay(unit, ownId(unit, id), request.body),
      ({ payment }) => changed(paymentView(payment)),
    );
  }
}
