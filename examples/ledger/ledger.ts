/**
 * A small ledger settles Tillgate's refunds with the kit, and keeps its own book. Start from it to
 * write yours.
 */
import { setInterval } from 'node:timers/promises';
import { TillgateLedger } from '../../client/src/index.js';
import * as kit from '../../client/src/ledger/index.js';
import {
  findAtProvider,
  type MadeElsewhere,
  madeElsewhere,
  payAtProvider,
  returnedByProvider,
} from '../provider.js';
import { Book, type Entry } from './book.js';

const {
  TILLGATE_URL: url = '',
  TILLGATE_LEDGER_KEY: key = '',
  LEDGER_DATABASE_URL = '',
} = process.env;
const { ORGANIZATION: organization, POLL_SECONDS = '5' } = process.env;
const POSTPONED_SECONDS = 60;
const LOOK_MS = 1_000;

const tillgate = new TillgateLedger({ baseUrl: url, key });
const book = await Book.open(LEDGER_DATABASE_URL);
const worker = kit.settle({ url, key, pay, find, organization, pollSeconds: Number(POLL_SECONDS) });

/**
 * The book has the amount in flight before the provider is asked, so that `find` knows every
 * possible payout.
 */
async function pay(refund: kit.ClaimedRefund): Promise<kit.PayOutcome> {
  const { id, payment, amount, claim } = refund;
  const refusal = await entered(refund, () => book.begin(refund));
  if (refusal)
    return kit.stuck(`The book does not allow to refund ${amount} of ${payment}: ${refusal}.`);
  const outcome = outcomeOf(
    await book.change(id, claim.number, (entry) => {
      const isMine =
        entry.status === 'in_flight' && !entry.provider_reference && entry.claim === claim.number;
      return isMine ? payAtProvider(refund) : undefined;
    }),
  );
  return outcome.type === 'not_there' ? kit.unknown(`Another worker has ${id}.`) : outcome;
}

/** Enters a refund after its payment, which the book does not have yet at the first refund. */
async function entered(
  { payment, organization }: kit.LedgerRefund,
  enter: () => Promise<string | undefined>,
) {
  const refusal = await enter();
  if (refusal !== 'refunds_payment') return refusal;
  await book.capture(await tillgate.payments.retrieve(payment, { organization }));
  return enter();
}

/**
 * Tillgate is told first, because it knows whether this is the payout of a refund. It refuses while
 * another refund has the money.
 */
async function record({ status, reason, ...made }: MadeElsewhere): Promise<void> {
  if (status !== 'paid' && status !== 'returned') return;
  const refund = await kit.recordPayout(
    { ...made, refund: undefined, status: 'succeeded' },
    { url, key },
  );
  if (refund.status !== 'succeeded') return;
  const refusal = await entered(refund, () => book.record(refund));
  if (refusal)
    throw new Error(`The book does not allow ${refund.id}, which was made elsewhere: ${refusal}.`);
  if (status !== 'returned') return;
  await book.change(refund.id, 0, async () => ({
    status,
    provider_reference: made.reference,
    reason,
  }));
  await tillgate.refunds.return(refund.id, { reason }, refund);
}

/** The provider is asked only about what the book has sent to it. */
async function find({ id, claim }: kit.LedgerRefund): Promise<kit.FindOutcome> {
  const outcome = outcomeOf(
    await book.change(id, claim?.number ?? 0, ({ status }) =>
      status === 'in_flight' || status === 'paid' ? findAtProvider(id) : undefined,
    ),
  );
  return outcome.type === 'later' ? kit.notThere() : outcome;
}

function outcomeOf(entry: Entry | undefined): kit.Outcome {
  const { status, provider_reference: reference, reason } = entry ?? {};
  if (status === 'paid') return kit.succeeded(reference ?? undefined);
  if (status === 'refused' || status === 'returned') return kit.failed(reason ?? status);
  if (status === 'postponed') return kit.later(POSTPONED_SECONDS, reason ?? status);
  return reference ? kit.submitted(reference) : kit.notThere();
}

async function stop(): Promise<void> {
  await worker.stop();
  await book.close();
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(signal, stop);
process.on('message', () => worker.wake());
// The process that started this one may have ended already.
if (process.connected === false) await stop();

// Looks again at money that came back or left without a refund, because an earlier process may have
// been killed while it reported that.
for await (const _ of setInterval(LOOK_MS)) {
  const returned = await returnedByProvider().catch(() => []);
  for (const id of returned) await worker.look(id).catch(console.error);
  const made = await madeElsewhere().catch(() => []);
  for (const one of made) await record(one).catch(console.error);
}
