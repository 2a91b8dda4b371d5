/** Between Tillgate and Stripe: leads customers to Stripe's page, hears Stripe's webhooks, and settles refunds by the kit. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { settle } from '../../client/src/ledger/index.js';
import { find, followDispute, pay, recordPayment, startPayment, stripe, tillgate } from './provider.js';

const { TILLGATE_URL: url = '', TILLGATE_LEDGER_KEY: key = '' } = process.env;
const { STRIPE_WEBHOOK_SECRET = '', PORT = '4200', POLL_SECONDS = '5' } = process.env;

const worker = settle({ url, key, pay, find, pollSeconds: Number(POLL_SECONDS) });

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  try {
    if (pathname === '/pay') return response.writeHead(303, { location: await startPayment(searchParams) }).end();
    if (pathname !== '/stripe') return response.writeHead(404).end();
    await hear(await eventIn(request));
    return response.writeHead(204).end();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return response.writeHead(400).end();
    console.error(error);
    return response.writeHead(500).end('The payment cannot be started. Please go back and try again.');
  }
}).listen(Number(PORT));

async function eventIn(request: IncomingMessage): Promise<Stripe.Event> {
  const signature = request.headers['stripe-signature'] ?? '';
  return stripe.webhooks.constructEvent(await text(request), signature, STRIPE_WEBHOOK_SECRET);
}

/** Stripe sends an event again, for three days, until this succeeds. */
async function hear(event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return recordPayment(event.data.object);
    case 'refund.updated':
    case 'refund.failed':
      return lookAt(event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed':
      return followDispute(event.data.object.id);
  }
}

/** Reports that a pending refund was decided, or that the money of one that succeeded has come back. */
async function lookAt({ metadata, status }: Stripe.Refund): Promise<void> {
  const refund = metadata?.refund;
  if (!refund) return;
  await worker.look(refund);
  if (status !== 'failed') return;
  const { status: reported } = await tillgate.refunds.retrieve(refund);
  if (reported === 'succeeded' || reported === 'pending') throw new Error(`${refund} has not been reported as failed.`);
}

async function stop(): Promise<void> {
  server.close();
  await worker.stop();
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
