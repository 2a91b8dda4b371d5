import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { CheckoutModule } from '../checkout/index.js';
import { PaymentsModule } from '../payments/index.js';
import { WebhooksModule } from '../webhooks/index.js';
import { LedgerPagesController } from './adapters/http/ledger-pages.controller.js';
import { MissingPageController } from './adapters/http/missing-page.controller.js';
import { PageController } from './adapters/http/page.controller.js';
import { PagesController } from './adapters/http/pages.controller.js';
import { CheckoutPageRecord } from './adapters/persistence/checkout-page.record.js';
import { LatePaymentRecord } from './adapters/persistence/late-payment.record.js';
import { PAGE_PERSONAL_DATA } from './adapters/persistence/page-personal-data.js';
import { TRANSFER_WORK } from './adapters/persistence/pending-work.js';
import { TypeormPages } from './adapters/persistence/typeorm-pages.js';
import { TransferSweeper } from './adapters/schedule/transfer-sweeper.js';
import { PayFromPage } from './application/pay-from-page.js';
import { Pages } from './application/ports.js';
import { ReadPage } from './application/read-page.js';
import { SetPaymentUrl } from './application/set-payment-url.js';

@Module({
  imports: [CheckoutModule, PaymentsModule, WebhooksModule],
  controllers: [PageController, PagesController, LedgerPagesController, MissingPageController],
  providers: [
    PayFromPage,
    ReadPage,
    SetPaymentUrl,
    TransferSweeper,
    { provide: Pages, useClass: TypeormPages },
  ],
})
class PageModule {}

export const PAGE: ModuleDeclaration = {
  module: PageModule,
  records: [CheckoutPageRecord, LatePaymentRecord],
  jobWork: [TRANSFER_WORK],
  personalData: PAGE_PERSONAL_DATA,
};
