/**
 * This is a stub of the endpoints of Stripe that examples/stripe calls, written from Stripe's API
 * reference.
 */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export type Fields = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, string>>;

export const STRIPE_SECRET_KEY = 'sk_test_stripe';
export const STRIPE_WEBHOOK_SECRET = 'whsec_stripe';

export class Stripe {
  /**
   * The map has Checkout Sessions by their IDs, in the order in which they were made. Each has the
   * form that made it.
   */
  readonly pages = new Map<string, Fields>();
  /** The map has refunds by idempotency key, or by ID if they were made in the dashboard. */
  readonly refunds = new Map<string, Fields>();
  readonly paymentIntents = new Map<string, Fields>();
  private readonly disputes = new Map<string, Fields>();
  /**
   * The map has the first request under each idempotency key with its answer, which may be a
   * refusal. Stripe repeats this answer for a day.
   */
  private readonly answered = new Map<string, { readonly body: string; readonly answer: Fields }>();
  /** New refunds get this state, or this error if it has a code. */
  refundsAre: Fields = { status: 'succeeded' };
  /** Tells whether Stripe refuses the page that the form asks for. */
  refusesPage = (_form: Form): boolean => false;
  /** Stripe waits for this before it makes a page. */
  beforePage = async (): Promise<void> => undefined;
  /** Stripe does these operations, and then loses their answers. */
  loses = /^$/;
  readonly server: Server = createServer((request, response) => this.answer(request, response));

  /** Returns the request of an event, with its body and the header that signs it. */
  static event(type: string, object: Fields, secret = STRIPE_WEBHOOK_SECRET): RequestInit {
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return {
      method: 'POST',
      body,
      headers: { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature}` },
    };
  }

  /** Returns the Checkout Sessions of a session of Tillgate. */
  pagesOf(session: string) {
    return [...this.pages.values()].filter(
      (page) => page.client_reference_id === session,
    ) as (Fields & {
      form: Form;
    })[];
  }

  changePage(id: unknown, change: Fields): Fields {
    const changed = { ...this.pages.get(String(id)), ...change };
    this.pages.set(String(id), changed);
    return changed;
  }

  /** Changes a refund, and returns it. */
  change(key: string, change: Fields): Fields {
    const changed = { ...this.refunds.get(key), ...change };
    this.refunds.set(key, changed);
    return changed;
  }

  refundInDashboard(id: string, facts: Fields): Fields {
    return this.change(id, {
      id,
      object: 'refund',
      currency: 'usd',
      metadata: {},
      status: 'succeeded',
      ...facts,
    });
  }

  dispute({ payment_intent, ...facts }: Fields): Fields {
    const id = `du_of_${payment_intent}`;
    const dispute = {
      id,
      object: 'dispute',
      payment_intent,
      currency: 'usd',
      reason: 'fraudulent',
      ...facts,
    };
    this.disputes.set(id, dispute);
    return dispute;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, 'idempotency-key': header } = request.headers;
    const url = new URL(String(request.url), 'http://stripe');
    const operation = `${request.method} ${url.pathname}`;
    const body = await text(request);
    if (operation === 'POST /v1/checkout/sessions') await this.beforePage();
    const key = request.method === 'POST' ? String(header) : '';
    const earlier = this.answered.get(key);
    const isAllowed = authorization === `Bearer ${STRIPE_SECRET_KEY}`;
    const answer = isAllowed
      ? (earlier?.answer ?? this.answerTo(operation, url, key, body))
      : failure(401);
    if (key) this.answered.set(key, earlier ?? { body, answer });
    if (this.loses.test(operation)) return void response.socket?.destroy();
    const { status, body: sent } =
      earlier && earlier.body !== body ? failure(400, 'idempotency_error') : answer;
    response
      .writeHead(Number(status ?? 200), { 'content-type': 'application/json' })
      .end(JSON.stringify(sent));
  }

  private answerTo(operation: string, url: URL, key: string, body: string): Fields {
    const form = Object.fromEntries(new URLSearchParams(body));
    switch (operation) {
      case 'POST /v1/checkout/sessions':
        return this.refusesPage(form) ? failure(400, 'refused') : { body: this.makePage(form) };
      case 'POST /v1/refunds':
        return this.refund(key, form);
      case 'GET /v1/refunds': {
        const all = [...this.refunds.values()];
        const data = all.filter(
          (refund) => refund.payment_intent === url.searchParams.get('payment_intent'),
        );
        return { body: { object: 'list', has_more: false, data } };
      }
    }
    const [, kind, id = '', action] =
      /^\w+ \/v1\/(checkout\/sessions|disputes|payment_intents)\/(\w+)(\/expire)?$/.exec(
        operation,
      ) ?? [''];
    const known = {
      'checkout/sessions': this.pages,
      disputes: this.disputes,
      payment_intents: this.paymentIntents,
    };
    const resource = known[kind as keyof typeof known]?.get(id);
    if (action && resource?.status !== 'open') return failure(400, 'resource_not_open');
    if (action) return { body: this.changePage(id, { status: 'expired', url: null }) };
    return resource ? { body: resource } : failure(404, 'resource_missing');
  }

  private refund(key: string, form: Form): Fields {
    const { status, code } = this.refundsAre;
    if (code) return failure(Number(status), String(code));
    const { amount, payment_intent, 'metadata[refund]': refund } = form;
    const made = {
      object: 'refund',
      amount: Number(amount),
      payment_intent,
      metadata: { refund },
      currency: 'usd',
    };
    return { body: this.change(key, { id: `re_of_${key}`, ...made, form, status }) };
  }

  private makePage(form: Form): Fields {
    const id = `cs_test_${this.pages.size}`;
    const { client_reference_id, 'line_items[0][price_data][currency]': currency } = form;
    const number = (at: number, name: string) => Number(form[`line_items[${at}]${name}`] ?? 0);
    const totals = Array.from(
      { length: 100 },
      (_, at) => number(at, '[quantity]') * number(at, '[price_data][unit_amount]'),
    );
    const facts = {
      client_reference_id,
      currency,
      amount_total: totals.reduce((sum, one) => sum + one),
    };
    const metadata = { organization: form['metadata[organization]'] };
    const state = { status: 'open', payment_status: 'unpaid', payment_intent: null };
    const url = `https://checkout.stripe.com/c/pay/${id}`;
    return this.changePage(id, {
      id,
      object: 'checkout.session',
      ...facts,
      metadata,
      ...state,
      url,
      form,
    });
  }
}

function failure(status: number, code?: string): Fields {
  return { status, body: { error: { code, message: `It is ${code}.` } } };
}
