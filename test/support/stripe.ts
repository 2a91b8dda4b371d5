/** A stub of the endpoints of Stripe that examples/stripe calls, written from Stripe's API reference. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export type Fields = Readonly<Record<string, unknown>>;

export const STRIPE_SECRET_KEY = 'sk_test_stripe';
export const STRIPE_WEBHOOK_SECRET = 'whsec_stripe';

export class Stripe {
  /** The last form under each idempotency key. */
  readonly asked = new Map<string, Readonly<Record<string, string>>>();
  /** By idempotency key: the same key pays once. */
  readonly refunds = new Map<string, Fields>();
  readonly checkoutSessions = new Map<string, Fields>();
  private readonly disputes = new Map<string, Fields>();
  /** What becomes of refunds, or with a code their error. */
  refundsAre: Fields = { status: 'succeeded' };
  /** The operations whose answers are lost after it has done them. */
  loses = /^$/;
  readonly server: Server = createServer((request, response) => this.answer(request, response));

  /** The body of an event, and the header that signs it. */
  static event(type: string, object: Fields, secret = STRIPE_WEBHOOK_SECRET): RequestInit {
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return { method: 'POST', body, headers: { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature}` } };
  }

  /** Changes a refund, and returns it. */
  change(key: string, change: Fields): Fields {
    const changed = { ...this.refunds.get(key), ...change };
    this.refunds.set(key, changed);
    return changed;
  }

  dispute({ payment_intent, ...facts }: Fields): Fields {
    const id = `du_of_${payment_intent}`;
    const dispute = { id, object: 'dispute', payment_intent, currency: 'usd', reason: 'fraudulent', ...facts };
    this.disputes.set(id, dispute);
    return dispute;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, 'idempotency-key': key = '' } = request.headers;
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const url = new URL(String(request.url), 'http://stripe');
    const operation = `${request.method} ${url.pathname}`;
    const isAllowed = authorization === `Bearer ${STRIPE_SECRET_KEY}`;
    const answer = isAllowed ? this.bodyOf(operation, url, String(key), form) : failure(401);
    if (this.loses.test(operation)) return void response.socket?.destroy();
    response.writeHead(Number(answer.status ?? 200), { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  }

  private bodyOf(operation: string, url: URL, key: string, form: Readonly<Record<string, string>>): Fields {
    if (key) this.asked.set(key, form);
    const { status, code } = this.refundsAre;
    switch (operation) {
      case 'POST /v1/checkout/sessions':
        return { body: this.checkoutSession(key, form) };
      case 'POST /v1/refunds': {
        if (code) return failure(Number(status), String(code));
        const { amount, payment_intent, 'metadata[refund]': refund } = form;
        const made = { object: 'refund', amount: Number(amount), payment_intent, metadata: { refund }, status };
        return { body: this.refunds.get(key) ?? this.change(key, { id: `re_of_${key}`, ...made }) };
      }
      case 'GET /v1/refunds': {
        const all = [...this.refunds.values()];
        const data = all.filter((refund) => refund.payment_intent === url.searchParams.get('payment_intent'));
        return { body: { object: 'list', has_more: false, data } };
      }
    }
    const dispute = this.disputes.get(operation.replace('GET /v1/disputes/', ''));
    return dispute ? { body: dispute } : failure(404, 'resource_missing');
  }

  private checkoutSession(key: string, form: Readonly<Record<string, string>>): Fields {
    const { client_reference_id, 'line_items[0][price_data][currency]': currency } = form;
    const amount_total = Number(form['line_items[0][price_data][unit_amount]']);
    const metadata = { organization: form['metadata[organization]'] };
    const url = `https://checkout.stripe.com/c/pay/${key}`;
    const made = { object: 'checkout.session', client_reference_id, amount_total, currency, metadata, url };
    this.checkoutSessions.set(key, made);
    return made;
  }
}

function failure(status: number, code?: string): Fields {
  return { status, body: { error: { code, message: `It is ${code}.` } } };
}
