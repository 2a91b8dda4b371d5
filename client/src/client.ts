/** The operations of the API. Their types are generated from its description. */
import type { components, operations } from './description.js';
import { List, type Page } from './pages.js';
import { pathPart } from './sendable.js';
import {
  type ClientOptions,
  type Query,
  type ReadOptions,
  Transport,
  type WriteOptions,
} from './transport.js';

type Schemas = components['schemas'];
/**
 * The query of a list. The client follows the pages: `limit` is the size of a page, and `cursor` is
 * where to begin.
 */
export type Filters<Operation extends keyof operations> = Optional<
  NonNullable<operations[Operation]['parameters']['query']>
>;
type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Options of the ledger's calls on one resource. */
interface Owned {
  /**
   * The owning organization, if you know it: with it, a service on a distributed database asks one
   * machine only.
   */
  readonly organization?: string | undefined;
}

const ownerOf = ({ organization }: Owned = {}) =>
  organization === undefined ? {} : { organization };

interface WithPage {
  /**
   * URL of the page on which the customer pays. Undefined unless the session is open and the
   * service serves pages.
   */
  readonly pageUrl: string | undefined;
}

type ClaimedRefund = Schemas['LedgerRefund'] & {
  readonly claim: NonNullable<Schemas['LedgerRefund']['claim']>;
};
type ClaimedRefunds = Schemas['LedgerRefundList'] & { readonly data: readonly ClaimedRefund[] };

export class Resource {
  constructor(protected readonly transport: Transport) {}

  protected async read<Result>(
    path: string,
    id: string,
    options?: ReadOptions,
    query?: Query,
  ): Promise<Result> {
    return this.transport.get<Result>(`${path}/${pathPart(id)}`, query, options);
  }

  /** Reads what belongs to a resource. */
  protected async readPart<Result>(
    path: string,
    id: string,
    part: string,
    options?: ReadOptions,
    query?: Query,
  ): Promise<Result> {
    return this.transport.get<Result>(`${path}/${pathPart(id)}/${part}`, query, options);
  }

  protected async update<Result>(
    path: string,
    id: string,
    change: unknown,
    options?: WriteOptions,
  ): Promise<Result> {
    return this.transport.post<Result>(`${path}/${pathPart(id)}`, change, options);
  }

  protected async act<Result>(
    path: string,
    id: string,
    action: string,
    options?: WriteOptions,
    body?: unknown,
  ): Promise<Result> {
    return this.transport.post<Result>(`${path}/${pathPart(id)}/${action}`, body, options);
  }

  protected async remove<Result>(path: string, id: string, options?: ReadOptions): Promise<Result> {
    return this.transport.delete<Result>(`${path}/${pathPart(id)}`, options);
  }

  protected listOf<Item>(path: string, query: Query, options?: ReadOptions): List<Item> {
    return new List((cursor) =>
      this.transport.get<Page<Item>>(path, cursor ? { ...query, cursor } : query, options),
    );
  }
}

class CheckoutSessions extends Resource {
  private readonly path = '/v1/checkout_sessions';

  create(
    session: Schemas['CreateCheckoutSessionRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['CheckoutSession'] & WithPage> {
    return this.transport.post(this.path, session, options);
  }

  retrieve(id: string, options?: ReadOptions): Promise<Schemas['CheckoutSession'] & WithPage> {
    return this.read(this.path, id, options);
  }

  list(
    filters: Filters<'listCheckoutSessions'> = {},
    options?: ReadOptions,
  ): List<Schemas['CheckoutSessionSummary']> {
    return this.listOf(this.path, filters, options);
  }

  expire(id: string, options?: WriteOptions): Promise<Schemas['CheckoutSession']> {
    return this.act(this.path, id, 'expire', options);
  }

  /** Removes what a closed session tells of its customer. */
  redact(id: string, options?: WriteOptions): Promise<Schemas['CheckoutSession']> {
    return this.act(this.path, id, 'redact', options);
  }

  /** Retrieves the page on which the customer pays the session. */
  page(id: string, options?: ReadOptions): Promise<Schemas['CheckoutPage']> {
    return this.readPart(this.path, id, 'page', options);
  }

  /** Completes an open session whose total is 0. */
  complete(id: string, options?: WriteOptions): Promise<Schemas['CheckoutSession']> {
    return this.act(this.path, id, 'complete', options);
  }
}

class Refunds extends Resource {
  private readonly path = '/v1/refunds';

  propose(
    refund: Schemas['ProposeRefundRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['Refund']> {
    return this.transport.post(this.path, refund, options);
  }

  retrieve(id: string, options?: ReadOptions): Promise<Schemas['Refund']> {
    return this.read(this.path, id, options);
  }

  list(filters: Filters<'listRefunds'> = {}, options?: ReadOptions): List<Schemas['Refund']> {
    return this.listOf(this.path, filters, options);
  }

  cancel(id: string, options?: WriteOptions): Promise<Schemas['Refund']> {
    return this.act(this.path, id, 'cancel', options);
  }

  /** Retrieves who proposed the refund, and who approved or rejected it. */
  approval(id: string, options?: ReadOptions): Promise<Schemas['RefundApproval']> {
    return this.readPart(this.path, id, 'approval', options);
  }

  approve(
    id: string,
    body: Schemas['ApproveRefundRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['RefundApproval']> {
    return this.act(this.path, id, 'approve', options, body);
  }

  reject(
    id: string,
    body: Schemas['RejectRefundRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['RefundApproval']> {
    return this.act(this.path, id, 'reject', options, body);
  }
}

class Payments extends Resource {
  retrieve(id: string, options?: ReadOptions): Promise<Schemas['Payment']> {
    return this.read('/v1/payments', id, options);
  }

  list(filters: Filters<'listPayments'> = {}, options?: ReadOptions): List<Schemas['Payment']> {
    return this.listOf('/v1/payments', filters, options);
  }
}

class Events extends Resource {
  retrieve(id: string, options?: ReadOptions): Promise<Schemas['EventWithDeliveries']> {
    return this.read('/v1/events', id, options);
  }

  list(filters: Filters<'listEvents'> = {}, options?: ReadOptions): List<Schemas['Event']> {
    return this.listOf('/v1/events', filters, options);
  }

  /**
   * Sends the event again now: to its `notify_url` and every endpoint that subscribes to its type,
   * or to one endpoint only.
   */
  resend(
    id: string,
    body: Schemas['ResendEventRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['ResentEvent']> {
    return this.act('/v1/events', id, 'resend', options, body);
  }
}

/**
 * The operations on webhook endpoints of an organization or of the ledger, whose types have another
 * name.
 */
class WebhookEndpoints<Owner extends '' | 'Ledger'> extends Resource {
  constructor(
    transport: Transport,
    private readonly path: string,
  ) {
    super(transport);
  }

  /** The secret is only in the responses to this call and to `rotateSecret`. */
  create(
    endpoint: Schemas['CreateWebhookEndpointRequest'],
    options?: WriteOptions,
  ): Promise<Schemas[`${Owner}WebhookEndpointWithSecret`]> {
    return this.transport.post(this.path, endpoint, options);
  }

  retrieve(id: string, options?: ReadOptions): Promise<Schemas[`${Owner}WebhookEndpoint`]> {
    return this.read(this.path, id, options);
  }

  list(
    filters: Filters<'listWebhookEndpoints'> = {},
    options?: ReadOptions,
  ): List<Schemas[`${Owner}WebhookEndpoint`]> {
    return this.listOf(this.path, filters, options);
  }

  /**
   * Changes only the given fields. `enabled: true` enables an endpoint that the service disabled.
   */
  change(
    id: string,
    change: Schemas['ChangeWebhookEndpointRequest'],
    options?: WriteOptions,
  ): Promise<Schemas[`${Owner}WebhookEndpoint`]> {
    return this.update(this.path, id, change, options);
  }

  /** Deletes the endpoint and cancels its unfinished deliveries. */
  delete(id: string, options?: ReadOptions): Promise<Schemas[`Deleted${Owner}WebhookEndpoint`]> {
    return this.remove(this.path, id, options);
  }

  /** Creates a new secret. The previous one also signs for `overlap_seconds`, by default a day. */
  rotateSecret(
    id: string,
    body: Schemas['RotateEndpointSecretRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas[`${Owner}WebhookEndpointWithSecret`]> {
    return this.act(this.path, id, 'rotate_secret', options, body);
  }

  /** Sends one `webhook.test` event now and returns the attempt. */
  test(id: string, options?: WriteOptions): Promise<Schemas['Delivery']> {
    return this.act(this.path, id, 'test', options);
  }
}

/** Simulates customers, the ledger and time, with a key of test mode. */
class TestHelpers extends Resource {
  private readonly refunds = '/v1/test_helpers/refunds';

  clock(options?: ReadOptions): Promise<Schemas['SandboxClock']> {
    return this.transport.get('/v1/test_helpers/clock', undefined, options);
  }

  /** Advances the clock. The call returns after the work that became due. */
  advanceClock(
    step: Schemas['AdvanceClockRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['SandboxClock']> {
    return this.transport.post('/v1/test_helpers/clock', step, options);
  }

  /**
   * Records a payment for the session. Without an amount, it pays the total, which completes the
   * session.
   */
  payCheckoutSession(
    id: string,
    payment: Schemas['PayCheckoutSessionRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['Payment']> {
    return this.act('/v1/test_helpers/checkout_sessions', id, 'pay', options, payment);
  }

  /** Keeps the session open while its payment is on its way, as the ledger does. */
  awaitPayment(
    id: string,
    body: Schemas['AwaitTestPaymentRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['CheckoutSession']> {
    return this.act('/v1/test_helpers/checkout_sessions', id, 'await_payment', options, body);
  }

  succeedRefund(id: string, options?: WriteOptions): Promise<Schemas['Refund']> {
    return this.act(this.refunds, id, 'succeed', options);
  }

  failRefund(
    id: string,
    body: Schemas['FailRefundRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['Refund']> {
    return this.act(this.refunds, id, 'fail', options, body);
  }

  returnRefund(
    id: string,
    body: Schemas['ReturnRefundRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['Refund']> {
    return this.act(this.refunds, id, 'return', options, body);
  }
}

class LedgerResource extends Resource {
  protected readOwned<Result>(
    path: string,
    id: string,
    options?: ReadOptions & Owned,
  ): Promise<Result> {
    return this.read(path, id, options, ownerOf(options));
  }

  protected actOwned<Result>(
    path: string,
    id: string,
    action: string,
    options?: WriteOptions & Owned,
    body?: object,
  ) {
    return this.act<Result>(path, id, action, options, { ...body, ...ownerOf(options) });
  }
}

class LedgerCheckoutSessions extends LedgerResource {
  retrieve(id: string, options?: ReadOptions & Owned): Promise<Schemas['LedgerCheckoutSession']> {
    return this.readOwned('/ledger/v1/checkout_sessions', id, options);
  }

  /** Retrieves the page on which the customer pays the session. */
  page(id: string, options?: ReadOptions & Owned): Promise<Schemas['LedgerPage']> {
    const owner = ownerOf(options);
    return this.readPart('/ledger/v1/checkout_sessions', id, 'page', options, owner);
  }

  /** Sets the URL to which the page of the session sends the customer to pay. */
  setPaymentUrl(
    id: string,
    body: Schemas['SetPaymentUrlRequest'],
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerCheckoutPage']> {
    return this.actOwned('/ledger/v1/checkout_sessions', id, 'payment_url', options, body);
  }

  /**
   * Keeps the session open while its payment is on its way, such as a bank transfer. With
   * `until: null`, it is no longer kept open.
   */
  awaitPayment(
    id: string,
    body: Schemas['AwaitPaymentRequest'],
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerCheckoutSession']> {
    return this.actOwned('/ledger/v1/checkout_sessions', id, 'await_payment', options, body);
  }
}

class LedgerPayments extends LedgerResource {
  private readonly path = '/ledger/v1/payments';

  record(
    payment: Schemas['RecordPaymentRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['LedgerPayment']> {
    return this.transport.post(this.path, payment, options);
  }

  retrieve(id: string, options?: ReadOptions & Owned): Promise<Schemas['LedgerPayment']> {
    return this.readOwned(this.path, id, options);
  }

  list(
    filters: Filters<'listLedgerPayments'> = {},
    options?: ReadOptions,
  ): List<Schemas['LedgerPayment']> {
    return this.listOf(this.path, filters, options);
  }
}

class LedgerHolds extends LedgerResource {
  /** Puts an amount on hold; without an amount, all that is left of the payment. */
  place(
    payment: string,
    hold: Schemas['PlaceHoldRequest'] = {},
    options?: WriteOptions & Owned,
  ): Promise<Schemas['PaymentHold']> {
    return this.actOwned('/ledger/v1/payments', payment, 'holds', options, hold);
  }

  retrieve(id: string, options?: ReadOptions & Owned): Promise<Schemas['PaymentHold']> {
    return this.readOwned('/ledger/v1/holds', id, options);
  }

  list(
    filters: Filters<'listLedgerHolds'> = {},
    options?: ReadOptions,
  ): List<Schemas['PaymentHold']> {
    return this.listOf('/ledger/v1/holds', filters, options);
  }

  release(id: string, options?: WriteOptions & Owned): Promise<Schemas['PaymentHold']> {
    return this.actOwned('/ledger/v1/holds', id, 'release', options);
  }
}

class LedgerRefunds extends LedgerResource {
  private readonly path = '/ledger/v1/refunds';

  /**
   * Records a refund that was made elsewhere, such as in the provider's dashboard. Its
   * `provider_reference` makes it safe to repeat; under an idempotency key of your own, a refusal
   * would be repeated too.
   */
  record(
    refund: Schemas['RecordRefundRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['LedgerRefund']> {
    return this.transport.post(this.path, refund, options);
  }

  retrieve(id: string, options?: ReadOptions & Owned): Promise<Schemas['LedgerRefund']> {
    return this.readOwned(this.path, id, options);
  }

  list(
    filters: Filters<'listLedgerRefunds'> = {},
    options?: ReadOptions,
  ): List<Schemas['LedgerRefund']> {
    return this.listOf(this.path, filters, options);
  }

  succeed(
    id: string,
    body: Schemas['SucceedRefundRequest'] = {},
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerRefund']> {
    return this.actOwned(this.path, id, 'succeed', options, body);
  }

  fail(
    id: string,
    body: Schemas['FailRefundRequest'] = {},
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerRefund']> {
    return this.actOwned(this.path, id, 'fail', options, body);
  }

  return(
    id: string,
    body: Schemas['ReturnRefundRequest'] = {},
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerRefund']> {
    return this.actOwned(this.path, id, 'return', options, body);
  }

  /** Claims pending refunds that no other worker has claimed, for the time of a lease. */
  claim(
    body: Schemas['ClaimRefundsRequest'] = {},
    options?: WriteOptions,
  ): Promise<ClaimedRefunds> {
    return this.transport.post(`${this.path}/claim`, body, options);
  }

  extend(
    id: string,
    body: Schemas['ExtendClaimRequest'],
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerRefund']> {
    return this.actOwned(this.path, id, 'extend', options, body);
  }

  release(
    id: string,
    body: Schemas['ReleaseClaimRequest'],
    options?: WriteOptions & Owned,
  ): Promise<Schemas['LedgerRefund']> {
    return this.actOwned(this.path, id, 'release', options, body);
  }
}

class LedgerEvents extends Resource {
  list(
    filters: Filters<'listLedgerEvents'> = {},
    options?: ReadOptions,
  ): List<Schemas['LedgerEvent']> {
    return this.listOf('/ledger/v1/events', filters, options);
  }
}

/** Calls the public API with a secret key. */
export class Tillgate {
  readonly checkoutSessions: CheckoutSessions;
  readonly refunds: Refunds;
  readonly payments: Payments;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints<''>;
  readonly testHelpers: TestHelpers;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.checkoutSessions = new CheckoutSessions(transport);
    this.refunds = new Refunds(transport);
    this.payments = new Payments(transport);
    this.events = new Events(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport, '/v1/webhook_endpoints');
    this.testHelpers = new TestHelpers(transport);
  }
}

/** Calls the ledger's API with a ledger key. */
export class TillgateLedger {
  readonly checkoutSessions: LedgerCheckoutSessions;
  readonly payments: LedgerPayments;
  readonly refunds: LedgerRefunds;
  readonly holds: LedgerHolds;
  readonly events: LedgerEvents;
  readonly webhookEndpoints: WebhookEndpoints<'Ledger'>;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.checkoutSessions = new LedgerCheckoutSessions(transport);
    this.payments = new LedgerPayments(transport);
    this.refunds = new LedgerRefunds(transport);
    this.holds = new LedgerHolds(transport);
    this.events = new LedgerEvents(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport, '/ledger/v1/webhook_endpoints');
  }
}
