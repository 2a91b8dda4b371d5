import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency, IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency.js';
import { LedgerKey, LedgerOfKey, Operation, Tag } from '../../../../request/route.js';
import { OwnerRequest } from '../../../../request/validation/owned.js';
import { Keyed, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Ledger } from '../../../../shared/caller.js';
import { ownId } from '../../../../shared/own-id.js';
import { Organizations } from '../../../access/index.js';
import { CHECKOUT_SESSION_ID, CheckoutSessionQueries, PageLinks, SESSION_FACTS } from '../../../checkout/index.js';
import { Pages } from '../../application/ports.js';
import { SetPaymentUrl } from '../../application/set-payment-url.js';
import { LEDGER_CHECKOUT_PAGE, LEDGER_PAGE, ledgerPageView } from '../representation/pages.views.js';
import { SetPaymentUrlRequest } from './pages.requests.js';

@Controller(SESSION_FACTS.ledger.path)
@LedgerKey()
@Tag('Ledger: pages', 'The page of a checkout session, and the payment URL to which it sends the customer to pay.')
export class LedgerPagesController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly sessions: CheckoutSessionQueries,
    private readonly organizations: Organizations,
    private readonly pages: Pages,
    private readonly setPaymentUrl: SetPaymentUrl,
    private readonly links: PageLinks,
  ) {}

  @Operation('readLedgerCheckoutPage', {
    summary: 'Retrieve the page of a checkout session of an organization',
    answers: { 200: { description: 'The page of the session.', schema: LEDGER_PAGE } },
  })
  @Get(':id/page')
  async read(
    @LedgerOfKey() ledger: Ledger,
    @PathId(CHECKOUT_SESSION_ID) pathId: string,
    @ValidQuery() query: OwnerRequest,
  ) {
    const id = ownId(ledger, pathId);
    const caller = await this.sessions.ownerOf(ledger, id, query.organization);
    const [{ state }, { paymentUrl: own }, { settings }] = await Promise.all([
      this.sessions.get(caller, id),
      this.pages.find(caller, id),
      this.organizations.byId(caller.organization),
    ]);
    const paymentUrl = own ?? settings.paymentUrl[ledger.mode];
    return ledgerPageView(state, this.links.urlOf(caller.organization, id), { ...caller, paymentUrl });
  }

  @Operation('setPaymentUrl', {
    summary: 'Set the payment URL of a checkout session',
    description:
      "Sets the URL to which the page of this session sends the customer to pay. It replaces the organization's payment URL for this session.",
    answers: { 200: { description: 'The page of the session.', schema: LEDGER_CHECKOUT_PAGE } },
  })
  @Post(':id/payment_url')
  @IdempotencyKey('accepted')
  async set(
    @LedgerOfKey() ledger: Ledger,
    @Keyed(SetPaymentUrlRequest) request: KeyedRequest<SetPaymentUrlRequest>,
    @PathId(CHECKOUT_SESSION_ID) pathId: string,
  ) {
    const id = ownId(ledger, pathId);
    const caller = await this.sessions.ownerOf(ledger, id, request.body.organization);
    return this.idempotency.once(
      caller,
      request,
      () => this.setPaymentUrl.ofSession(caller, id, request.body.payment_url),
      (session) => {
        const page = { ...caller, paymentUrl: request.body.payment_url };
        const view = ledgerPageView(session, this.links.urlOf(caller.organization, id), page);
        return { status: 200, body: JSON.stringify(view) };
      },
    );
  }
}
