import { type Abstract, Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { Organizations } from '../access/index.js';
import { CheckoutModule, CheckoutSessionQueries, CloseCheckoutSession, PageLinks } from '../checkout/index.js';
import { Events, EventsModule } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import { LedgerPagesController } from './adapters/http/ledger-pages.controller.js';
import { MissingPageController } from './adapters/http/missing-page.controller.js';
import { PageController } from './adapters/http/page.controller.js';
import { PagesController } from './adapters/http/pages.controller.js';
import { RecordedCaptures } from './adapters/payments/recorded-captures.js';
import { CheckoutPageRecord } from './adapters/persistence/checkout-page.record.js';
import { PaymentUrlRecord } from './adapters/persistence/payment-url.record.js';
import { TypeormPages } from './adapters/persistence/typeorm-pages.js';
import { TimedLatePayments } from './adapters/schedule/timed-late-payments.js';
import { PayFromPage } from './application/pay-from-page.js';
import {
  Acknowledgements,
  Captures,
  FreeSessions,
  LatePayments,
  Links,
  Pages,
  Sessions,
  Shops,
} from './application/ports.js';
import { ReadPage } from './application/read-page.js';
import { SetPaymentUrl } from './application/set-payment-url.js';

/** Serves the pages on which customers pay, at the links that the checkout module makes. */
@Module({
  imports: [CheckoutModule, EventsModule, PaymentsModule],
  controllers: [PageController, PagesController, LedgerPagesController, MissingPageController],
  providers: [
    PayFromPage,
    ReadPage,
    SetPaymentUrl,
    { provide: Acknowledgements, useExisting: Events satisfies Abstract<Acknowledgements> },
    { provide: Captures, useClass: RecordedCaptures },
    { provide: FreeSessions, useExisting: CloseCheckoutSession satisfies Abstract<FreeSessions> },
    { provide: LatePayments, useClass: TimedLatePayments },
    { provide: Links, useExisting: PageLinks satisfies Abstract<Links> },
    { provide: Pages, useClass: TypeormPages },
    { provide: Sessions, useExisting: CheckoutSessionQueries satisfies Abstract<Sessions> },
    { provide: Shops, useExisting: Organizations satisfies Abstract<Shops> },
  ],
  exports: [Pages, SetPaymentUrl],
})
class PageModule {}

export const PAGE: ModuleFacts = { module: PageModule, records: [CheckoutPageRecord, PaymentUrlRecord] };
