/**
 * A policy is a program: it approves small refunds that wait, and leaves the rest to people. Run it
 * with a key that may only approve.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Tillgate, TillgateError } from '../client/src/index.js';

const { TILLGATE_URL: baseUrl = '', TILLGATE_KEY: key = '', POLL_SECONDS = '5' } = process.env;
/**
 * The limit is in minor units: 100.00 of a currency with two digits. Refunds in other currencies
 * are left to people.
 */
const LIMITS: Readonly<Record<string, number>> = { eur: 10_000, usd: 10_000, gbp: 10_000 };

const tillgate = new Tillgate({ baseUrl, key });

/** All refunds of the payment count, because a large refund can be proposed as many small ones. */
async function refundedInAll(payment: string): Promise<number> {
  const { amount_refunded, amount_pending_refund } = await tillgate.payments.retrieve(payment);
  return amount_refunded + amount_pending_refund;
}

async function decide(id: string): Promise<void> {
  const { amount, currency, payment, description } = await tillgate.refunds.approval(id);
  const limit = LIMITS[currency] ?? 0;
  // Nobody can tell later why a refund without a description was approved.
  if (description === null || (await refundedInAll(payment)) >= limit) return;
  const comment = `The refunds of the payment are below ${limit} ${currency}.`;
  await tillgate.refunds.approve(id, { amount, comment });
}

for (;;) {
  for await (const { id } of tillgate.refunds.list({ approval: 'waiting' })) {
    // Somebody else may have decided since the list was read.
    await decide(id).catch((error) => {
      if (!(error instanceof TillgateError)) throw error;
      console.error(`${id}: ${error.message}`);
    });
  }
  await sleep(Number(POLL_SECONDS) * 1000);
}
