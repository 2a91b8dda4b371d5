import { Module } from '@nestjs/common';
import { CheckoutSessionsController } from './adapters/http/checkout-sessions.controller.js';
import { LedgerCheckoutSessionsController } from './adapters/http/ledger-checkout-sessions.controller.js';
import { TypeormCheckoutSessions } from './adapters/persistence/typeorm-checkout-sessions.js';
import { ExpirySweeper } from './adapters/schedule/expiry-sweeper.js';
import { CompleteCheckoutSession } from './application/complete-checkout-session.js';
import { CreateCheckoutSession } from './application/create-checkout-session.js';
import { ExpireCheckoutSession } from './application/expire-checkout-session.js';
import { FindNotifyUrl } from './application/find-notify-url.js';
import { ListCheckoutSessions } from './application/list-checkout-sessions.js';
import { CheckoutSessions } from './application/ports.js';
import { ReadCheckoutSession } from './application/read-checkout-session.js';

/** Checkout sessions and their line items. */
@Module({
  controllers: [CheckoutSessionsController, LedgerCheckoutSessionsController],
  providers: [
    CompleteCheckoutSession,
    CreateCheckoutSession,
    ExpireCheckoutSession,
    ExpirySweeper,
    FindNotifyUrl,
    ListCheckoutSessions,
    ReadCheckoutSession,
    { provide: CheckoutSessions, useClass: TypeormCheckoutSessions },
  ],
  exports: [CompleteCheckoutSession, FindNotifyUrl],
})
export class CheckoutModule {}
