import { Controller, Post } from '@nestjs/common';
import { Idempotency } from '../../../../idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
} from '../../../../idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../idempotency/idempotent-response.js';
import { TestSecretKey } from '../../../../platform/http/credential.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import type { Caller } from '../../../../shared/caller.js';
import { invalidParams, paramError } from '../../../../shared/errors.js';
import { ownId } from '../../../../shared/own-id.js';
import { PathId, ValidBody } from '../../../../validation/validation.js';
import { CallerOfKey } from '../../../access/index.js';
import { CHECKOUT_SESSION_ID, CheckoutSessionQueries } from '../../../checkout/index.js';
import { PAYMENT, paymentView, RecordPayment } from '../../../payments/index.js';
import { PayCheckoutSessionRequest } from './sandbox.requests.js';

@Controller('/v1/test_helpers/checkout_sessions')
@TestSecretKey()
@Tag('Test helpers', 'Simulate customers, the ledger and time in test mode. A live key cannot call these operations.')
export class CheckoutSessionHelpersController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly sessions: CheckoutSessionQueries,
    private readonly recordPayment: RecordPayment,
  ) {}

  @Operation('payTestCheckoutSession', {
    summary: 'Pay a checkout session',
    description:
      'Records a payment for the session, as the ledger does when a customer has paid. Without a body, the payment matches the session and completes it. A payment that does not match is recorded with its `mismatch` and does not change the session.',
    answers: { 200: { description: 'The recorded payment.', schema: PAYMENT } },
  })
  @Post(':id/pay')
  @AcceptIdempotencyKey()
  pay(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId(CHECKOUT_SESSION_ID) id: string,
    @ValidBody() body: PayCheckoutSessionRequest,
  ): Promise<IdempotentResponse> {
    return this.idempotency.once(
      caller,
      { body, ...request },
      () => this.record(caller, id, body),
      ({ payment }) => ({ status: 200, body: JSON.stringify(paymentView(payment)) }),
    );
  }

  private async record(caller: Caller, id: string, { amount, currency }: PayCheckoutSessionRequest) {
    const { amountTotal, currency: expected } = (await this.sessions.get(caller, ownId(caller, id))).state;
    if (amount === undefined && amountTotal === 0) throw nothingToPay();
    const captured = { amount: amount ?? amountTotal, currency: currency ?? expected };
    return this.recordPayment.execute(caller, { ...captured, checkoutSession: id, reference: null }, 'record');
  }
}

function nothingToPay() {
  const message = 'The total of the session is 0: complete the session instead, or send an amount that does not match.';
  return invalidParams([paramError('amount', 'required', message)]);
}
