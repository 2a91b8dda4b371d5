/** The program in examples/stripe runs between Tillgate and a stub of Stripe. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { PublicUrl } from '../../src/request/public-url.js';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from './client.js';
import { openPage, setPaymentUrl, submit, visit } from './page.js';
import { run, type Started, until } from './processes.js';
import type { Shop } from './shop.js';
import { freePort, listen } from './sockets.js';
import { type Fields, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, Stripe } from './stripe.js';

const GUIDE = readFileSync('docs/guides/connect-your-payment-provider.md', 'utf8');
const [, QUERY = ''] = /--payment-url 'http:\/\/localhost:4200(.*?)'/.exec(GUIDE) ?? [];

export const priced = (currency: string, unit_amount: number) => ({
  currency,
  line_items: [{ price_data: { currency, unit_amount, product_data: { name: 'Book' } } }],
});

export class StripeProgram {
  readonly service = useService();
  readonly shop = useShop(this.service, {}, beforeAll);
  /** The money of this shop goes to a connected account. */
  readonly connected = useShop(this.service, {}, beforeAll);
  readonly stripe = new Stripe();
  address = '';
  private started: Started | undefined;

  get stderr(): string {
    return this.started?.stderr() ?? '';
  }

  async start(): Promise<void> {
    const { service, shop, connected } = this;
    service.application.get(PublicUrl).value = service.url;
    const PORT = String(await freePort());
    const account = { id: 'acct_1', fee_percent: 2.5 };
    this.address = `http://127.0.0.1:${PORT}`;
    this.started = run(['dist/examples/stripe/stripe.js'], {
      PORT,
      POLL_SECONDS: '0.1',
      STRIPE_ACCOUNTS: JSON.stringify({ [connected.organization]: account }),
      STRIPE_MOCK_PORT: String(await listen(this.stripe.server)),
      STRIPE_SECRET_KEY,
      STRIPE_WEBHOOK_SECRET,
      TILLGATE_LEDGER_KEY: shop.ledgerKey,
      TILLGATE_URL: service.url,
    });
    const isThere = () => fetch(this.address).catch(() => undefined);
    await until(async () => (await isThere()) !== undefined);
  }

  async stop(): Promise<void> {
    this.started?.child.kill();
    expect((await this.started?.ended)?.status).toBe(0);
    this.stripe.server.close();
  }

  /** Makes the stub of Stripe behave as usual again. */
  calm(): void {
    this.stripe.refundsAre = { status: 'succeeded' };
    this.stripe.refusesPage = () => false;
    this.stripe.beforePage = async () => undefined;
    this.stripe.loses = /^$/;
  }

  async tell(type: string, object: Fields, secret?: string): Promise<number> {
    return (await fetch(`${this.address}/stripe`, Stripe.event(type, object, secret))).status;
  }

  tellPaid(id: string, payment_status = 'paid', secret?: string): Promise<number> {
    const paid = { payment_status, payment_intent: `pi_${id}` };
    const page = { ...this.stripe.pagesOf(id).at(-1), ...paid };
    return this.tell('checkout.session.completed', page, secret);
  }

  /** Opens a session, presses Pay as its customer, and returns where that leads. */
  async pressed(order: object = priced('usd', 1000), owner: Shop = this.shop) {
    const { id, path } = await openPage(owner, {
      ...SMALLEST,
      ...order,
      success_url: 'https://shop.example/thanks',
    });
    await setPaymentUrl(this.service, owner, this.address + QUERY);
    const page = this.service.url + path;
    const start = async () => String((await submit(`${page}/pay`)).location);
    /** Presses Pay, and follows the redirect to the program. */
    const pay = async () => (await visit(await start())).location;
    const form = () => this.stripe.pagesOf(id).at(-1)?.form ?? {};
    return { id, page, start: await start(), pay, form };
  }

  async paymentsOf(session: string) {
    return (await this.shop.ledgerGet(`/ledger/v1/payments?checkout_session=${session}`)).body.data;
  }
}

/** Starts the program before the tests of a file, and ends it after them. */
export function useStripeProgram(): StripeProgram {
  const program = new StripeProgram();
  beforeAll(() => program.start());
  afterEach(() => program.calm());
  afterAll(() => program.stop());
  return program;
}
