import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey } from '../../../../request/idempotency/keyed-request.js';
import { changed } from '../../../../request/response.js';
import { LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { LedgerRequest, OwnerRequest } from '../../../../request/validation/ledger-request.js';
import type { Unit } from '../../../../shared/unit.js';
import { Organizations } from '../../../access/index.js';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSessionQueries,
  PageLinks,
  SESSION_RESOURCE,
} from '../../../checkout/index.js';
import { Pages } from '../../application/ports.js';
import { SetPaymentUrl } from '../../application/set-payment-url.js';
import {
  LEDGER_CHECKOUT_PAGE,
  LEDGER_PAGE,
  ledgerPageView,
} from '../representation/pages.views.js';
import { SetPaymentUrlRequest } from './pages.requests.js';

@Controller(SESSION_RESOURCE.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: pages',
  'The page of a checkout session, and the payment URL to which it sends the customer to pay.',
)
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
  async read(@LedgerRequest(CHECKOUT_SESSION_ID, OwnerRequest) { caller, id }: LedgerRequest) {
    const [{ state }, { paymentUrl: own }, { settings }] = await Promise.all([
      this.sessions.get(caller, id),
      this.pages.find(caller, id),
      this.organizations.byId(caller.organization),
    ]);
    const paymentUrl = own ?? settings.paymentUrl[caller.mode];
    return ledgerPageView(state, this.links.urlOf(caller.organization, id), {
      ...caller,
      paymentUrl,
    });
  }

  @Operation('setPaymentUrl', {
    summary: 'Set the payment URL of a checkout session',
    description:
      'Sets the URL to which the page of this session sends the customer to pay. It replaces ' +
      "the organization's payment URL for this session, which must be open.",
    answers: { 200: { description: 'The page of the session.', schema: LEDGER_CHECKOUT_PAGE } },
  })
  @Post(':id/payment_url')
  @IdempotencyKey('accepted')
  set(
    @LedgerRequest(CHECKOUT_SESSION_ID, SetPaymentUrlRequest)
    { caller, id, request }: LedgerRequest<SetPaymentUrlRequest>,
  ) {
    const { payment_url: paymentUrl } = request.body;
    const set = (unit: Unit) => this.setPaymentUrl.ofSession(unit, id, paymentUrl);
    return this.idempotency.once(caller, request, set, (session) =>
      changed(
        ledgerPageView(session, this.links.urlOf(caller.organization, id), {
          ...caller,
          paymentUrl,
        }),
      ),
    );
  }
}
