import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey } from '../../../../request/idempotency/keyed-request.js';
import { changed } from '../../../../request/response.js';
import { LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { LedgerRequest, OwnerRequest } from '../../../../request/validation/ledger-request.js';
import { AwaitPayment } from '../../application/await-payment.js';
import { CheckoutSessionQueries } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID } from '../../domain/checkout-session.js';
import { SESSION_RESOURCE } from '../../resources.js';
import {
  LEDGER_CHECKOUT_SESSION,
  ledgerCheckoutSessionView,
} from '../representation/checkout-sessions.views.js';
import { AwaitPaymentRequest } from './checkout-sessions.requests.js';

@Controller(SESSION_RESOURCE.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: checkout sessions',
  'Checkout sessions of every organization, for the component that records payments.',
)
export class LedgerCheckoutSessionsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly awaitPayment: AwaitPayment,
    private readonly sessions: CheckoutSessionQueries,
  ) {}

  @Operation('readLedgerCheckoutSession', {
    summary: 'Retrieve a checkout session of an organization',
    answers: { 200: { description: 'The session.', schema: LEDGER_CHECKOUT_SESSION } },
  })
  @Get(':id')
  async read(@LedgerRequest(CHECKOUT_SESSION_ID, OwnerRequest) { caller, id }: LedgerRequest) {
    return ledgerCheckoutSessionView(caller.organization, await this.sessions.get(caller, id));
  }

  @Operation('awaitPayment', {
    summary: 'Await the payment of a checkout session',
    description:
      'Keeps an open session open while the money for it is on its way, for example a bank ' +
      'transfer. Its page then offers no other payment.',
    answers: { 200: { description: 'The open session.', schema: LEDGER_CHECKOUT_SESSION } },
  })
  @Post(':id/await_payment')
  @IdempotencyKey('accepted')
  await(
    @LedgerRequest(CHECKOUT_SESSION_ID, AwaitPaymentRequest)
    { caller, id, request }: LedgerRequest<AwaitPaymentRequest>,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.awaitPayment.execute(unit, id, request.body),
      (session) => changed(ledgerCheckoutSessionView(caller.organization, session)),
    );
  }
}
