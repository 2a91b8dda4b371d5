import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency, IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency.js';
import { LedgerKey, LedgerOfKey, Operation, Tag } from '../../../../request/route.js';
import { OwnerRequest } from '../../../../request/validation/owned.js';
import { Keyed, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Ledger } from '../../../../shared/caller.js';
import { ownId } from '../../../../shared/own-id.js';
import { ChangeCheckoutSession } from '../../application/change-checkout-session.js';
import { CheckoutSessionQueries } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID } from '../../domain/checkout-session.js';
import { SESSION_FACTS } from '../../facts.js';
import { LEDGER_CHECKOUT_SESSION, ledgerCheckoutSessionView } from '../representation/checkout-sessions.views.js';
import { AwaitPaymentRequest } from './checkout-sessions.requests.js';

@Controller(SESSION_FACTS.ledger.path)
@LedgerKey()
@Tag('Ledger: checkout sessions', 'Checkout sessions of every organization, for the component that records payments.')
export class LedgerCheckoutSessionsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly changeSession: ChangeCheckoutSession,
    private readonly sessions: CheckoutSessionQueries,
  ) {}

  @Operation('readLedgerCheckoutSession', {
    summary: 'Retrieve a checkout session of an organization',
    answers: { 200: { description: 'The session.', schema: LEDGER_CHECKOUT_SESSION } },
  })
  @Get(':id')
  async read(
    @LedgerOfKey() ledger: Ledger,
    @PathId(CHECKOUT_SESSION_ID) pathId: string,
    @ValidQuery() { organization }: OwnerRequest,
  ) {
    const id = ownId(ledger, pathId);
    const caller = await this.sessions.ownerOf(ledger, id, organization);
    return ledgerCheckoutSessionView(caller.organization, await this.sessions.get(caller, id));
  }

  @Operation('awaitPayment', {
    summary: 'Await the payment of a checkout session',
    description:
      'Keeps an open session open while the money for it is on its way, for example a bank transfer. Its page then offers no other payment.',
    answers: { 200: { description: 'The open session.', schema: LEDGER_CHECKOUT_SESSION } },
  })
  @Post(':id/await_payment')
  @IdempotencyKey('accepted')
  async await(
    @LedgerOfKey() ledger: Ledger,
    @Keyed(AwaitPaymentRequest) request: KeyedRequest<AwaitPaymentRequest>,
    @PathId(CHECKOUT_SESSION_ID) pathId: string,
  ) {
    const id = ownId(ledger, pathId);
    const caller = await this.sessions.ownerOf(ledger, id, request.body.organization);
    return this.idempotency.once(
      caller,
      request,
      async () => this.changeSession.awaitPayment(caller, id, request.body),
      (session) => ({
        status: 200,
        body: JSON.stringify(ledgerCheckoutSessionView(caller.organization, session)),
      }),
    );
  }
}
