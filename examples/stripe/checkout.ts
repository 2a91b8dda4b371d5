/** Leads the customer to Stripe's page and back, and ends that page when the session ends. */
import Stripe from 'stripe';
import { type components, TillgateError } from '../../client/src/index.js';
import { fromStripe, toStripe } from './amounts.js';
import { accountOf, idOf, refusalOf, stripe, tillgate } from './provider.js';

const { sessions } = stripe.checkout;
type Session = components['schemas']['LedgerCheckoutSession'];

/** A page at Stripe lives for 30 minutes to 24 hours by Stripe's clock. */
const SHORTEST_SECONDS = 31 * 60;
const LONGEST_SECONDS = 24 * 3600 - 60;
/** Within a step of this length, the same request is made again. */
const STEP_SECONDS = 10 * 60;
const MAX_LINES = 100;
/** These are the languages of Stripe's page. In any other one it follows the browser. */
const LOCALES =
  'bg cs da de el en es et fi fil fr hr hu id it ja ko lt lv ms mt nb nl pl pt ro ru sk sl sv th tr vi zh'
    .split(' ')
    .concat('en-GB', 'es-419', 'fr-CA', 'pt-BR', 'zh-HK', 'zh-TW');
/** Tillgate keeps, in the payment URL of a session, which page at Stripe it led to. */
const PAGE = /&stripe=(cs_\w+)$/;

/** Returns Stripe's page of the session, which is the same one for as long as it can be paid. */
export async function startPayment(query: URLSearchParams): Promise<string> {
  const id = query.get('session') ?? '';
  const { checkoutSessions } = tillgate;
  const [session, { url, payment_url }] = await Promise.all([
    checkoutSessions.retrieve(id),
    checkoutSessions.page(id),
  ]);
  const [back, cancel] = [`${url}/return`, `${url}/cancel`];
  // Anyone can write such a URL, and the ID of a session is no secret. The address of its page is.
  if (query.get('return') !== back || query.get('cancel') !== cancel)
    throw new Error(`${id}: this is not its page.`);
  if (session.status !== 'open') return back;
  try {
    const earlier = await earlierPage(payment_url);
    if (earlier && !isOver(earlier)) return earlier.url ?? back;
    const page = await begin(session, { success_url: back, cancel_url: cancel }, earlier);
    const remembered = `${payment_url?.replace(PAGE, '')}&stripe=${page.id}`;
    if (await isRemembered(id, remembered)) return page.url ?? back;
    // The session has ended meanwhile, so nobody else knows of this page.
    await sessions.expire(page.id).catch(unlessRefused);
    return back;
  } catch (error) {
    console.error(id, error);
    // There the customer reads, in the language of the page, that nothing was charged, and finds
    // the way back to the shop.
    return cancel;
  }
}

/** Returns false if the session has ended, so that its payment URL was not set. */
async function isRemembered(session: string, payment_url: string): Promise<boolean> {
  try {
    await tillgate.checkoutSessions.setPaymentUrl(session, { payment_url });
    return true;
  } catch (error) {
    if (error instanceof TillgateError && error.code === 'session_not_open') return false;
    throw error;
  }
}

/** Stripe refuses if the customer has paid on the page, or if the page has ended by itself. */
export async function endPayment(session: string): Promise<void> {
  const { payment_url } = await tillgate.checkoutSessions.page(session);
  const page = pageIn(payment_url);
  if (page) await sessions.expire(page).catch(unlessRefused);
}

/**
 * The reference keeps a payment from being recorded twice. A captured payment is recorded even if
 * the session has expired.
 */
export async function recordPayment(paid: Stripe.Checkout.Session): Promise<void> {
  const { payment_status, payment_intent, amount_total, currency } = paid;
  const organization = paid.metadata?.organization;
  if (payment_status !== 'paid' || !organization || !payment_intent || !amount_total || !currency)
    return;
  const reference = idOf(payment_intent);
  const amount = fromStripe(amount_total, currency);
  const checkout_session = paid.client_reference_id;
  await tillgate.payments.record(
    { organization, checkout_session, amount, currency, reference, on_mismatch: 'record' },
    { idempotencyKey: reference },
  );
}

const pageIn = (payment_url: string | null) => PAGE.exec(payment_url ?? '')?.[1];

async function earlierPage(payment_url: string | null) {
  const id = pageIn(payment_url);
  return id
    ? sessions.retrieve(id, { expand: ['payment_intent'] }).catch(unlessRefused)
    : undefined;
}

/** The page has expired, or the bank has refused the payment days later. */
function isOver({ status, payment_intent }: Stripe.Checkout.Session): boolean {
  const paid = typeof payment_intent === 'object' ? payment_intent?.status : undefined;
  return (
    status === 'expired' ||
    (status === 'complete' && (paid === 'requires_payment_method' || paid === 'canceled'))
  );
}

type Ways = Pick<Stripe.Checkout.SessionCreateParams, 'success_url' | 'cancel_url'>;

async function begin(session: Session, ways: Ways, earlier?: Stripe.Checkout.Session) {
  const { id, currency, amount_total } = session;
  const total = toStripe(amount_total, currency);
  if (total === undefined) throw new Error(refusalOf(currency));
  const order = { ...orderOf(session, total), ...ways };
  // If the customer presses Pay twice at once, both lead to one page.
  const options = { idempotencyKey: earlier ? `${id}-${earlier.id}` : id };
  const page = await sessions
    .create({ ...order, ...detailsOf(session, total) }, options)
    .catch(unlessRefused);
  // The refusal may be about a detail, or an old one, which the key repeats for 24 hours.
  return page ?? sessions.create(order);
}

function orderOf({ id, organization, currency, description, expires_at }: Session, total: number) {
  const now = Math.floor(Date.now() / 1000);
  const step = now - (now % STEP_SECONDS);
  const account = accountOf(organization);
  return {
    mode: 'payment',
    client_reference_id: id,
    metadata: { organization },
    payment_intent_data: {
      metadata: { organization, session: id },
      ...(account && { transfer_data: { destination: account.id } }),
      ...(account?.fee_percent && {
        application_fee_amount: Math.ceil((total * account.fee_percent) / 100),
      }),
    },
    line_items: [lineOf(description ?? 'Your order', currency, total)],
    // The customer pays what the page of Tillgate shows, in no other currency.
    adaptive_pricing: { enabled: false },
    expires_at: Math.min(
      Math.max(expires_at, step + STEP_SECONDS + SHORTEST_SECONDS),
      step + LONGEST_SECONDS,
    ),
  } satisfies Stripe.Checkout.SessionCreateParams;
}

/** Returns what the customer sees besides the total. */
function detailsOf(
  { currency, line_items, amount_shipping, customer_email, locale }: Session,
  total: number,
) {
  const lines = line_items.data.map(({ product_name, quantity, unit_price, amount_total }) =>
    unit_price * quantity === amount_total
      ? lineOf(product_name, currency, toStripe(unit_price, currency), quantity)
      : lineOf(`${quantity} × ${product_name}`, currency, toStripe(amount_total, currency)),
  );
  if (amount_shipping > 0)
    lines.push(lineOf('Shipping', currency, toStripe(amount_shipping, currency)));
  // An order's own discount is in no line.
  const sum = lines.reduce(
    (before, { quantity, price_data }) => before + quantity * price_data.unit_amount,
    0,
  );
  const tag = locale ?? '';
  return {
    ...(sum === total && lines.length <= MAX_LINES && { line_items: lines }),
    ...(customer_email && { customer_email }),
    locale: [tag, tag.replace(/-.*/, '')].find((one) => LOCALES.includes(one)) ?? 'auto',
  };
}

function lineOf(name: string, currency: string, unit_amount = Number.NaN, quantity = 1) {
  return { quantity, price_data: { currency, unit_amount, product_data: { name } } };
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Stripe.errors.StripeError && [400, 404].includes(error.statusCode ?? 0)))
    throw error;
  return undefined;
}
