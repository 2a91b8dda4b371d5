import { Controller, Get } from '@nestjs/common';
import { LedgerKey, LedgerOfKey } from '../../../../request/credential.js';
import { Operation, Tag } from '../../../../request/operation.js';
import { OwnerRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Ledger } from '../../../../shared/caller.js';
import { ownId } from '../../../../shared/own-id.js';
import { CheckoutSessionQueries } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID } from '../../domain/checkout-session.js';
import { SESSION_FACTS } from '../../facts.js';
import { LEDGER_CHECKOUT_SESSION, ledgerCheckoutSessionView } from '../representation/checkout-sessions.views.js';

@Controller(SESSION_FACTS.ledger.path)
@LedgerKey()
@Tag('Ledger: checkout sessions', 'Checkout sessions of every organization, for the component that records payments.')
export class LedgerCheckoutSessionsController {
  constructor(private readonly sessions: CheckoutSessionQueries) {}

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
}
