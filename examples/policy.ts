/** A policy is a program: it approves small refunds that wait, and leaves the rest to people. Run it with a key that may only approve. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Tillgate, TillgateError } from '../client/src/index.js';

const { TILLGATE_URL: baseUrl = '', TILLGATE_KEY: key = '', POLL_SECONDS = '5' } = process.env;
/** In minor units: 100.00 of a currency with two digits. Other currencies are left to people. */
const LIMITS: Readonly<Record<string, number>> = { eur: 10_000, usd: 10_000, gbp: 10_000 };

const tillgate = new Tillgate({ baseUrl, key });

for (;;) {
  for await (const { id, amount, currency } of tillgate.refunds.list({ approval: 'waiting' })) {
    if (amount >= (LIMITS[currency] ?? 0)) continue;
    const comment = `Below ${LIMITS[currency]} ${currency}.`;
    // Somebody else may have decided since the list was read.
    await tillgate.refunds.approve(id, { amount, comment }).catch((error) => {
      if (!(error instanceof TillgateError)) throw error;
      console.error(`${id}: ${error.message}`);
    });
  }
  await sleep(Number(POLL_SECONDS) * 1000);
}
