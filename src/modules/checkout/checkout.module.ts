import { Module } from '@nestjs/common';
import { StoredPersonalData } from '../../persistence/personal-data.js';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { EventsModule, recordedBy } from '../events/index.js';
import { CheckoutSessionWaitsController } from './adapters/http/checkout-session-waits.controller.js';
import { CheckoutSessionsController } from './adapters/http/checkout-sessions.controller.js';
import { LedgerCheckoutSessionsController } from './adapters/http/ledger-checkout-sessions.controller.js';
import { EncryptedPageLinks } from './adapters/links/encrypted-page-links.js';
import { CheckoutSessionRecord } from './adapters/persistence/checkout-session.record.js';
import { SESSION_WORK } from './adapters/persistence/pending-work.js';
import { TypeormCheckoutSessions } from './adapters/persistence/typeorm-checkout-sessions.js';
import { TypeormSessionDetails } from './adapters/persistence/typeorm-session-details.js';
import {
  REDACTED_MEMBERS,
  SESSION_OBJECT,
  toEvent,
} from './adapters/representation/checkout-sessions.views.js';
import { SessionSweeper } from './adapters/schedule/session-sweeper.js';
import { AwaitPayment } from './application/await-payment.js';
import { CloseCheckoutSession } from './application/close-checkout-session.js';
import { KeepSessionOpen } from './application/keep-session-open.js';
import { OpenCheckoutSession } from './application/open-checkout-session.js';
import {
  CheckoutSessionQueries,
  CheckoutSessions,
  PageLinks,
  SessionDetails,
  SessionEvents,
} from './application/ports.js';
import { RedactCheckoutSession } from './application/redact-checkout-session.js';
import { REFERENCE_IN_USE, SESSION_ERRORS } from './domain/checkout-session.js';
import { SESSION_RESOURCE } from './resources.js';

@Module({
  imports: [EventsModule],
  controllers: [
    CheckoutSessionsController,
    CheckoutSessionWaitsController,
    LedgerCheckoutSessionsController,
  ],
  providers: [
    AwaitPayment,
    CloseCheckoutSession,
    KeepSessionOpen,
    OpenCheckoutSession,
    RedactCheckoutSession,
    SessionSweeper,
    StoredPersonalData,
    recordedBy(SessionEvents, toEvent),
    { provide: CheckoutSessionQueries, useExisting: CheckoutSessions },
    { provide: CheckoutSessions, useClass: TypeormCheckoutSessions },
    { provide: PageLinks, useClass: EncryptedPageLinks },
    { provide: SessionDetails, useClass: TypeormSessionDetails },
  ],
  exports: [AwaitPayment, CheckoutSessionQueries, CloseCheckoutSession, KeepSessionOpen, PageLinks],
})
export class CheckoutModule {}

export const CHECKOUT: ModuleDeclaration = {
  module: CheckoutModule,
  records: [CheckoutSessionRecord],
  errors: [...Object.values(SESSION_ERRORS), REFERENCE_IN_USE],
  resources: [SESSION_RESOURCE],
  jobWork: [SESSION_WORK],
  personalData: [{ object: SESSION_OBJECT, members: REDACTED_MEMBERS }],
};
