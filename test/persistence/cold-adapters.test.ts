/**
 * Each test calls every method of a port whose adapter uses TypeORM. The end of its service fails
 * if it sent a statement that names no organization or no mode.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ApiKeys, Organizations, TestClocks } from '../../src/modules/access/application/ports.js';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { Organization } from '../../src/modules/access/domain/organization.js';
import { newWebhookSecret } from '../../src/modules/access/domain/webhook-secret.js';
import {
  CheckoutSessionQueries,
  SessionDetails,
} from '../../src/modules/checkout/application/ports.js';
import { Events } from '../../src/modules/events/application/ports.js';
import type { Event } from '../../src/modules/events/domain/event.js';
import { Pages } from '../../src/modules/page/application/ports.js';
import { Holds, LaterDetails, Payments } from '../../src/modules/payments/application/ports.js';
import { Hold } from '../../src/modules/payments/domain/hold.js';
import { Payment } from '../../src/modules/payments/domain/payment.js';
import { Refunds } from '../../src/modules/refunds/application/ports.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { EventDeliveries, WebhookEndpoints } from '../../src/modules/webhooks/application/ports.js';
import { newEndpoint } from '../../src/modules/webhooks/domain/webhook-endpoint.js';
import { Units } from '../../src/persistence/units.js';
import { CallbackUrls } from '../../src/shared/callback-urls.js';
import type { Caller } from '../../src/shared/caller.js';
import { NO_ORGANIZATION, uuidOf } from '../../src/shared/id.js';
import type { OwnId } from '../../src/shared/own-id.js';
import type { Unit } from '../../src/shared/unit.js';
import { type Service, startService } from '../kit/service.js';
import { Shop } from '../support/shop.js';

/**
 * The methods are in the order in which they are called. The test does not compile without one of
 * them.
 */
type Calls<Port> = { readonly [Method in keyof Port]: () => unknown };

const NOW = { now: Date.now(), ahead: 0 };
const PAGE = { limit: 1, cursor: undefined };
const CREATED = { ...PAGE, from: 1, to: NOW.now + 60_000 };
const NOT_FILTERED = {
  type: undefined,
  object: undefined,
  about: undefined,
  organization: undefined,
};
const EVENTS = { ...CREATED, ...NOT_FILTERED, order: 'desc' } as const;

let service: Service;
let caller: Caller;
/** The shop has a payment, and a session with an event. */
let paid: OwnId;
let session: OwnId;
/** This is the unit of the call that runs. */
let unit: Unit;

beforeEach(async () => {
  service = await startService();
  const shop = await Shop.open(service);
  caller = { organization: shop.organization, mode: 'test' };
  paid = (await shop.record({ amount: 1_000, reference: 'recorded' })).body.id;
  session = (await shop.createSession()).body.id;
});

afterEach(() => service.close());

const port = <Port>(token: abstract new () => Port): Port => service.application.get(token);

/** Makes each call in a unit of its own. A statement that is refused rejects. */
async function expectAllowed(calls: object, owner: Caller = caller): Promise<void> {
  const units = service.application.get(Units);
  for (const call of Object.values(calls)) {
    const made = units.commit(owner, async (opened) => {
      unit = opened;
      await call();
    });
    await expect(made).resolves.toBeUndefined();
  }
}

const recordedPayment = () => port(Payments).get(caller, paid);

test('the statements about API keys name an organization and a mode', async () => {
  const keys = port(ApiKeys);
  const terms = { ...caller, kind: 'secret', origins: ['https://shop.test'] } as const;
  const { key, token } = ApiKey.create(terms, NOW);
  const ofKeys: Calls<ApiKeys> = {
    add: () => keys.add(unit, key, token),
    byToken: () => keys.byToken(token),
    byId: () => keys.byId(key.state.id),
    list: () => keys.list(caller.organization, PAGE),
    allowedOrigins: () => keys.allowedOrigins(),
    end: () => keys.end(unit, key.state.id, 'expiresAt', NOW.now),
  };
  await expectAllowed(ofKeys);
});

test('the statements about organizations name an organization and a mode', async () => {
  const organizations = port(Organizations);
  const other = Organization.create('Other', NOW.now);
  const secret = newWebhookSecret();
  const next = { secret, previousExpiresAt: NOW.now };
  const ofOrganizations: Calls<Organizations> = {
    add: () => organizations.add(unit, other, secret),
    storeSettings: async () => {
      const test = 'https://pay.test/{CHECKOUT_SESSION_ID}';
      for (const url of [test, null])
        await organizations.storeSettings(unit, other.with({ paymentUrl: { test: url } }));
    },
    exists: () => organizations.exists(caller),
    byId: () => organizations.byId(other.id),
    within: () => organizations.within(unit, other.id),
    lock: () => organizations.lock(unit, other.id),
    list: () => organizations.list(PAGE, 'reference'),
    origins: () => organizations.origins(caller),
    forgetting: () => organizations.forgetting(),
    webhookSecrets: () => organizations.webhookSecrets(other.id, NOW.now),
    rotateWebhookSecret: () => organizations.rotateWebhookSecret(unit, other.id, next),
  };
  await expectAllowed(ofOrganizations);
});

test('the statements about the clocks of test mode name an organization and a mode', async () => {
  const clocks = port(TestClocks);
  const ofClocks: Calls<TestClocks> = {
    within: () => clocks.within(unit, caller),
    lock: () => clocks.lock(unit),
    store: async () => clocks.store(unit, await clocks.lock(unit)),
    moved: () => clocks.moved(1),
  };
  await expectAllowed(ofClocks);
});

test('the statements about pages name an organization and a mode', async () => {
  const pages = port(Pages);
  const ofPages: Calls<Pages> = {
    start: () => pages.start(unit, session),
    setPaymentUrl: () => pages.setPaymentUrl(unit, session, 'https://pay.test'),
    find: () => pages.find(caller, session),
    addTransfer: () => pages.addTransfer(unit, session, new Date()),
    dueTransfers: () => pages.dueTransfers(1),
    takeTransfer: () => pages.takeTransfer(unit, session),
  };
  await expectAllowed(ofPages);
});

test.each(['an organization', 'the ledger'])(
  'the statements about the webhook endpoints of %s name their owner and a mode',
  async (name) => {
    const owner = name === 'the ledger' ? { ...caller, organization: NO_ORGANIZATION } : caller;
    const endpoints = port(WebhookEndpoints);
    const wanted = { url: 'https://shop.test', events: ['*'], enabled: true, description: null };
    const urls = service.application.get(CallbackUrls);
    const endpoint = newEndpoint(wanted, [], owner.mode, NOW, urls);
    const secret = newWebhookSecret();
    const { id } = endpoint;
    const claimed = { id, enabled: true, failingSince: null };
    const failed = { failingSince: NOW.now, disabledReason: null };
    const ofEndpoints: Calls<WebhookEndpoints> = {
      add: () => endpoints.add(unit, endpoint, secret),
      all: () => endpoints.all(owner),
      list: () => endpoints.list(owner, PAGE),
      get: () => endpoints.get(owner, id),
      lock: () => endpoints.lock(unit, id),
      change: () => endpoints.change(unit, endpoint),
      recordHealth: () => endpoints.recordHealth(owner, claimed, failed),
      rotateSecret: () => endpoints.rotateSecret(unit, id, secret, NOW.now),
      secretsOf: () => endpoints.secretsOf(owner, id, NOW.now),
      remove: () => endpoints.remove(unit, id),
    };
    await expectAllowed(ofEndpoints, owner);
  },
);

test('the statements about the deliveries of events name an organization and a mode', async () => {
  const deliveries = port(EventDeliveries);
  const { items } = await port(Events).list(caller, EVENTS);
  const [event] = items as [Event];
  const notified = { endpoint: null, url: 'https://shop.test', attempts: 0 };
  const ofDeliveries: Calls<EventDeliveries> = {
    attemptsAt: () => deliveries.attemptsAt(caller, event),
    undeliveredSince: () =>
      deliveries.undeliveredSince(caller, { object: session, type: event.type }),
    send: () => deliveries.send(unit, event, [notified], NOW.now),
    lockRecipients: () => deliveries.lockRecipients(unit, event),
  };
  await expectAllowed(ofDeliveries);
});

test('the statements about payments name an organization and a mode', async () => {
  const payments = port(Payments);
  const capture = { amount: 1, currency: 'usd', checkoutSession: null, reference: 'added' };
  const filter = { ...CREATED, checkoutSession: session };
  const ledger = { mode: caller.mode };
  const ofPayments: Calls<Payments> = {
    add: () => payments.add(unit, Payment.record(capture, caller, NOW)),
    get: () => payments.get(caller, paid),
    lock: () => payments.lock(unit, paid),
    byReference: () => payments.byReference(caller, 'recorded'),
    restoreAmounts: () =>
      payments.restoreAmounts(unit, paid, { amountRefunded: 0, amountPendingRefund: 1 }),
    changeAmount: async () =>
      payments.changeAmount(unit, await payments.get(unit, paid), 'reserve', 1),
    list: () => payments.list(caller, filter),
    listOfAll: async () => {
      for (const organization of [undefined, caller.organization])
        await payments.listOfAll(ledger, { ...filter, organization, reference: 'recorded' });
    },
  };
  await expectAllowed(ofPayments);
});

test('the statements about holds name an organization and a mode', async () => {
  const [holds, payment] = [port(Holds), await recordedPayment()];
  const hold = Hold.place(payment, { amount: 1, reason: null, reference: null }, NOW);
  const filter = {
    ...CREATED,
    payment: paid,
    status: 'released',
    organization: undefined,
  } as const;
  const ofHolds: Calls<Holds> = {
    add: () => holds.add(unit, hold),
    get: () => holds.get(caller, hold.state.id),
    close: () => holds.close(unit, hold.release()),
    listOfAll: () => holds.listOfAll({ mode: caller.mode }, filter),
  };
  await expectAllowed(ofHolds);
});

test('the statements about refunds name an organization and a mode', async () => {
  const [refunds, payment] = [port(Refunds), await recordedPayment()];
  const ledger = { mode: caller.mode };
  const proposal = { payment: paid, amount: 1, reference: 'proposed', description: null };
  const refundable = { ...payment.state, refundable: payment.refundable };
  const refund = Refund.propose(refundable, proposal, NOW);
  const id = refund.state.id as OwnId;
  const waiting = Refund.restore({ ...refund.state, approvalExpiresAt: NOW.now });
  const listed = { ...CREATED, payment: paid, status: 'pending', onlyWaiting: false } as const;
  const ofRefunds: Calls<Refunds> = {
    add: () => refunds.add(unit, refund),
    get: () => refunds.get(caller, id),
    read: () => refunds.read(caller, id),
    lock: () => refunds.lock(unit, id),
    byReference: () => refunds.byReference(caller, 'proposed'),
    byPayout: () =>
      refunds.byPayout(caller, { payment: paid, amount: 1, providerReference: 're_1' }),
    lockOfPayment: () => refunds.lockOfPayment(unit, paid),
    list: async () => {
      for (const reference of [undefined, 'proposed'])
        await refunds.list(caller, { ...listed, reference });
    },
    listOfAll: () => refunds.listOfAll(ledger, { ...listed, organization: undefined }),
    overdue: async () => {
      for (const clock of [undefined, { ...caller, ahead: 0 }])
        await refunds.overdue(1, waiting, clock);
    },
    change: () => refunds.change(unit, refund.cancel(NOW.now)),
  };
  await expectAllowed(ofRefunds);
});

test('the statements about details that come later name an organization and a mode', async () => {
  const laterDetails = port(LaterDetails);
  const ofDetails: Calls<LaterDetails> = {
    note: async () => {
      await service.sql.query('UPDATE payments SET is_redacted = true');
      const redacted = { mismatch: null, notifyUrl: null, isRedacted: true };
      laterDetails.note(unit, (await port(Payments).get(unit, paid)).of(redacted));
    },
    owners: () => laterDetails.owners(),
    begin: () => laterDetails.begin(caller, 1),
    unfinished: () => laterDetails.unfinished(caller, 1),
    forget: () => laterDetails.forget(caller, uuidOf(paid)),
  };
  await expectAllowed(ofDetails);
});

test('the statements about the details of sessions name an organization and a mode', async () => {
  const details = port(SessionDetails);
  const ofSessions: Calls<SessionDetails> = {
    clear: async () => {
      const stored = await port(CheckoutSessionQueries).get(caller, session);
      details.clear(unit, stored.expire().redact());
    },
    remove: () => details.remove(unit, [session]),
    closed: () => details.closed(caller, { days: 0, limit: 1, after: undefined }),
    withEmail: async () => {
      for (const after of [undefined, session]) await details.withEmail(caller, after);
    },
  };
  await expectAllowed(ofSessions);
});
