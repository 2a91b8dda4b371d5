/**
 * This program stands between Tillgate and Stripe: it leads customers to Stripe's page, receives
 * Stripe's webhooks, and settles refunds with the kit.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import Stripe from 'stripe';
import { settle } from '../../client/src/ledger/index.js';
import { endPayment, recordPayment, startPayment } from './checkout.js';
import { find, followDispute, followRefunds, pay, stripe, tillgate } from './provider.js';

const { TILLGATE_URL: url = '', TILLGATE_LEDGER_KEY: key = '' } = process.env;
const { STRIPE_WEBHOOK_SECRET = '', PORT = '4200', POLL_SECONDS = '5' } = process.env;
const MAX_BYTES = 1024 * 1024;
const DAY_SECONDS = 24 * 3600;

const worker = settle({ url, key, pay, find, pollSeconds: Number(POLL_SECONDS) });

const server = createServer(async (request, response) => {
  try {
    const target = URL.parse(request.url ?? '', 'http://localhost');
    if (target?.pathname === '/livez') return response.writeHead(204).end();
    if (target?.pathname === '/pay')
      return response.writeHead(303, { location: await startPayment(target.searchParams) }).end();
    if (target?.pathname !== '/stripe') return response.writeHead(404).end();
    await hear(await eventIn(request));
    return response.writeHead(204).end();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError)
      return response.writeHead(400).end();
    if (error instanceof TooLarge) return response.writeHead(413, { connection: 'close' }).end();
    console.error(error);
    return response
      .writeHead(500)
      .end('The payment cannot be started. Please go back and try again.');
  }
}).listen(Number(PORT));

class TooLarge extends Error {}

async function eventIn(request: IncomingMessage): Promise<Stripe.Event> {
  const signature = request.headers['stripe-signature'] ?? '';
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new TooLarge();
    parts.push(part);
  }
  return stripe.webhooks.constructEvent(Buffer.concat(parts), signature, STRIPE_WEBHOOK_SECRET);
}

/** Stripe sends an event again, for three days, until this succeeds. */
async function hear(event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return recordPayment(event.data.object);
    case 'checkout.session.async_payment_failed':
      return console.error(
        `${event.data.object.client_reference_id}: the bank refused. Pay leads to a new page.`,
      );
    case 'charge.refunded':
      return followRefunds(event.data.object.payment_intent);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return lookAt(event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed':
      return followDispute(event.data.object.id);
  }
}

/**
 * Reports that a pending refund was decided, or that the money of a succeeded refund has come back.
 */
async function lookAt({ metadata, status, payment_intent }: Stripe.Refund): Promise<void> {
  const refund = metadata?.refund;
  if (!refund) return followRefunds(payment_intent);
  await worker.look(refund);
  if (status !== 'failed') return;
  const { status: reported } = await tillgate.refunds.retrieve(refund);
  if (reported === 'succeeded' || reported === 'pending')
    throw new Error(`${refund} has not been reported as failed.`);
}

/**
 * Ends the pages at Stripe of expired sessions, including those of the last day, because this
 * program may have been down.
 */
async function followExpired(): Promise<void> {
  const from = String(Math.floor(Date.now() / 1000) - DAY_SECONDS);
  const expired = { type: 'checkout.session.expired', order: 'asc', from, limit: 100 } as const;
  let cursor: string | undefined;
  while (!stopping.signal.aborted) {
    try {
      for await (const { data, next_cursor } of tillgate.events
        .list({ ...expired, cursor })
        .pages()) {
        for (const event of data) await endPayment(event.data.object.id);
        cursor = next_cursor ?? cursor;
      }
    } catch (error) {
      console.error(error);
    }
    await setTimeout(Number(POLL_SECONDS) * 1000, undefined, { signal: stopping.signal }).catch(
      () => undefined,
    );
  }
}

async function stop(): Promise<void> {
  server.close();
  stopping.abort();
  await Promise.all([worker.stop(), following]);
  process.exit();
}
const stopping = new AbortController();
const following = followExpired();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
