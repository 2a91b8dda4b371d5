import { Controller, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { HttpResponse } from '../../../../request/response.js';
import { Caller, Operation, Tag, TestSecretKey } from '../../../../request/route.js';
import { PathId, ValidRequest } from '../../../../request/validation/validation.js';
import { ownId } from '../../../../shared/own-id.js';
import { AwaitPayment } from '../../application/await-payment.js';
import { CHECKOUT_SESSION_ID } from '../../domain/checkout-session.js';
import {
  CHECKOUT_SESSION,
  checkoutSessionJson,
} from '../representation/checkout-sessions.views.js';
import { AwaitTestPaymentRequest } from './checkout-sessions.requests.js';

@Controller('/v1/test_helpers/checkout_sessions')
@TestSecretKey()
@Tag(
  'Test helpers',
  'Simulate customers, the ledger and time in test mode. A live key cannot call these operations.',
)
export class CheckoutSessionWaitsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly awaitPayment: AwaitPayment,
  ) {}

  @Operation('awaitTestPayment', {
    summary: 'Await the payment of a checkout session',
    description:
      'Keeps an open session open while the money for it is on its way, as the ledger does.',
    answers: { 200: { description: 'The open session.', schema: CHECKOUT_SESSION } },
  })
  @Post(':id/await_payment')
  @IdempotencyKey('accepted')
  await(
    @Caller() caller: Caller,
    @ValidRequest(AwaitTestPaymentRequest) request: KeyedRequest<AwaitTestPaymentRequest>,
    @PathId(CHECKOUT_SESSION_ID) id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.awaitPayment.execute(unit, ownId(unit, id), request.body),
      (session) => new HttpResponse({ status: 200, body: checkoutSessionJson(session) }),
    );
  }
}
