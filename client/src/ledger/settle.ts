/** The worker of a ledger: it claims refunds, has them paid out once, and reports what came of it. */
import { TillgateLedger } from '../client.js';
import type { components } from '../description.js';
import { TillgateError } from '../errors.js';
import { Bell } from './bell.js';
import { Lease } from './lease.js';
import { type FindOutcome, notThere, type Outcome, type PayOutcome, stuck, unknown } from './outcomes.js';

export type LedgerRefund = components['schemas']['LedgerRefund'];
export type ClaimedRefund = LedgerRefund & { readonly claim: NonNullable<LedgerRefund['claim']> };

export interface SettleOptions {
  /** URL of Tillgate. */
  readonly url: string;
  /** A ledger key, `lk_…`. */
  readonly key: string;
  /** Pays the refund out under its `id` as the idempotency key. `signal` aborts after `timeoutSeconds` or when the claim is lost. */
  readonly pay: (refund: ClaimedRefund, signal: AbortSignal) => Promise<PayOutcome>;
  /** Looks for a payout of the refund by its `id`. Nothing may be paid unless it returns `notThere()`. */
  readonly find: (refund: LedgerRefund, signal: AbortSignal) => Promise<FindOutcome>;
  /** Only the refunds of this organization. Default: of all. */
  readonly organization?: string | undefined;
  /** How many refunds this worker works on at a time. Default: 10, at most 100. */
  readonly concurrency?: number | undefined;
  /** Default: 60. A refund whose worker has died is claimed again after about twice this time. */
  readonly leaseSeconds?: number | undefined;
  /** The longest time for one call of `pay` or `find`. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** The pause when there is no refund to claim. Default: 5. `wake` ends it early. */
  readonly pollSeconds?: number | undefined;
  /** How often `find` is asked about refunds that were submitted. Default: 21,600, six hours. */
  readonly lookAgainSeconds?: number | undefined;
  /** A refund claimed more often than this is never paid by the worker, only looked for. Default: 20. */
  readonly stuckAfter?: number | undefined;
  /** Hears every outcome. By default, those that need a person are printed on standard error. */
  readonly onOutcome?: ((refund: LedgerRefund, outcome: Outcome) => void) | undefined;
  /** Hears why Tillgate could not be reached or refused a report. By default, it is printed on standard error. */
  readonly onError?: ((error: unknown, refund?: LedgerRefund) => void) | undefined;
  /** Replaces the global `fetch` for requests to Tillgate. */
  readonly fetch?: typeof fetch | undefined;
}

export interface Worker {
  /** Claims now instead of after the pause: for whoever receives the event `refund.created`. */
  wake(): void;
  /** Asks `find` about a refund now and reports the outcome, a return too: for whoever hears from the provider. */
  look(refund: string): Promise<void>;
  /** Claims no more, and resolves when the refunds at work are reported. */
  stop(): Promise<void>;
}

/** Settles refunds until it is stopped. Run as many workers as you like. */
export function settle(options: SettleOptions): Worker {
  return new Settlement(options);
}

/** A payout asked for so long ago may be asked for again as a new one: providers forget idempotency keys after 24 hours. */
const OLD_SECONDS = 12 * 3600;
const LONGEST_LEASE_SECONDS = 60 * 86_400;
/** Of a claim without a provider's reference, and of the wait after an outcome `later`. */
const HOUR_SECONDS = 3600;
const LONGEST_REASON = 500;

class Settlement implements Worker {
  private readonly ledger: TillgateLedger;
  private readonly atWork = new Set<Promise<void>>();
  private readonly claiming = new Bell();
  private readonly looking = new Bell();
  private readonly loops: Promise<unknown>;
  private isStopped = false;

  constructor(private readonly options: SettleOptions) {
    const { url: baseUrl, key, fetch } = options;
    this.ledger = new TillgateLedger({ baseUrl, key, fetch });
    this.loops = Promise.all([this.keepClaiming(), this.keepLooking()]);
  }

  wake(): void {
    this.claiming.ring();
  }

  async look(id: string): Promise<void> {
    await this.lookAt(await this.ledger.refunds.retrieve(id, this.owner));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.claiming.ring();
    this.looking.ring();
    await this.loops;
    await Promise.all(this.atWork);
  }

  private get owner() {
    const { organization } = this.options;
    return organization === undefined ? {} : { organization };
  }

  private async keepClaiming(): Promise<void> {
    const { concurrency = 10, pollSeconds = 5 } = this.options;
    while (!this.isStopped) {
      const claimed = await this.claim(concurrency - this.atWork.size);
      if (claimed === 0) await this.claiming.wait(pollSeconds * 1000);
      if (this.atWork.size === concurrency) await Promise.race(this.atWork);
    }
  }

  private async claim(limit: number): Promise<number> {
    const { leaseSeconds = 60 } = this.options;
    const begun = Date.now();
    try {
      const { data } = await this.ledger.refunds.claim({ limit, lease_seconds: leaseSeconds, ...this.owner });
      for (const refund of data) {
        const work = this.work(refund, new Lease(this.ledger, refund, leaseSeconds, begun));
        this.atWork.add(work);
        work.finally(() => this.atWork.delete(work));
      }
      return data.length;
    } catch (error) {
      this.complain(error);
      return 0;
    }
  }

  private async work(refund: ClaimedRefund, lease: Lease): Promise<void> {
    const outcome = await this.decide(refund, lease);
    lease.end();
    await this.report(refund, outcome);
  }

  private async decide(refund: ClaimedRefund, lease: Lease): Promise<Outcome> {
    const { stuckAfter = 20 } = this.options;
    const { number } = refund.claim;
    const mayBePaid = number > 1 || Date.now() / 1000 - refund.created > OLD_SECONDS;
    const found = mayBePaid ? await this.find(refund, lease.signal) : notThere();
    if (number > stuckAfter && (found.type === 'not_there' || found.type === 'unknown')) {
      return stuck(`It was claimed ${number} times, and the provider does not know it.`);
    }
    if (found.type !== 'not_there') return found;
    if (!lease.isHeld()) return unknown('The lease ended before the payout began.');
    const paid = await this.ask(this.options.pay, refund, lease.signal);
    if (paid.type !== 'unknown') return paid;
    const sought = await this.find(refund, lease.signal);
    // The request may still be on its way to the provider, so the refund is not paid again before its lease has run out.
    return sought.type === 'not_there' ? paid : sought;
  }

  private find(refund: LedgerRefund, signal?: AbortSignal): Promise<FindOutcome> {
    return this.ask(this.options.find, refund, signal);
  }

  private async ask<Refund, Answer>(
    question: (refund: Refund, signal: AbortSignal) => Promise<Answer>,
    refund: Refund,
    lost?: AbortSignal,
  ): Promise<Answer | ReturnType<typeof unknown>> {
    const { timeoutSeconds = 30 } = this.options;
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = lost ? AbortSignal.any([lost, timeout]) : timeout;
    try {
      return await Promise.race([question(refund, signal), rejectionOf(signal)]);
    } catch (error) {
      return unknown(String(error));
    }
  }

  private async keepLooking(): Promise<void> {
    const { lookAgainSeconds = 6 * HOUR_SECONDS } = this.options;
    while (!this.isStopped) {
      await this.lookAtSubmitted().catch((error) => this.complain(error));
      await this.looking.wait(lookAgainSeconds * 1000);
    }
  }

  private async lookAtSubmitted(): Promise<void> {
    for await (const refund of this.ledger.refunds.list({ ...this.owner, limit: 100 })) {
      if (this.isStopped) return;
      if (refund.provider_reference !== null) await this.lookAt(refund);
    }
  }

  private async lookAt(refund: LedgerRefund): Promise<void> {
    const outcome = await this.find(refund);
    const isReturned = refund.status === 'succeeded' && outcome.type === 'failed';
    const isDecided = refund.status === 'pending' && (outcome.type === 'failed' || outcome.type === 'succeeded');
    if (isReturned || isDecided) await this.report(refund, outcome);
  }

  private async report(refund: LedgerRefund, outcome: Outcome): Promise<void> {
    try {
      this.hear(refund, outcome);
      await this.send(refund, outcome);
    } catch (error) {
      // Another worker has the refund, and reports it.
      if (!(error instanceof TillgateError && error.code === 'refund_claimed')) this.complain(error, refund);
    }
  }

  private async send({ id, organization, status, claim }: LedgerRefund, outcome: Outcome): Promise<unknown> {
    const { refunds } = this.ledger;
    const number = claim?.number ?? 0;
    const claimed = { organization, claim: number };
    switch (outcome.type) {
      case 'succeeded':
        return refunds.succeed(id, { organization, provider_reference: outcome.reference ?? null });
      case 'failed': {
        const failure = { organization, reason: outcome.reason.slice(0, LONGEST_REASON) };
        return status === 'succeeded'
          ? refunds.return(id, failure)
          : refunds.fail(id, { ...failure, ...(claim && claimed) });
      }
      case 'submitted': {
        const long = { lease_seconds: LONGEST_LEASE_SECONDS, provider_reference: outcome.reference };
        return refunds.extend(id, { ...claimed, ...long });
      }
      case 'later': {
        const delay = Math.min(outcome.seconds * 2 ** (number - 1), Math.max(outcome.seconds, HOUR_SECONDS));
        return refunds.release(id, { ...claimed, delay_seconds: delay });
      }
      case 'stuck':
        return refunds.extend(id, { ...claimed, lease_seconds: HOUR_SECONDS });
    }
    return undefined;
  }

  private hear(refund: LedgerRefund, outcome: Outcome): void {
    if (this.options.onOutcome) this.options.onOutcome(refund, outcome);
    else if (outcome.type === 'stuck') console.error(`${refund.id} needs a person: ${outcome.why}`);
  }

  private complain(error: unknown, refund?: LedgerRefund): void {
    if (this.options.onError) this.options.onError(error, refund);
    else console.error(refund?.id ?? 'tillgate', error);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
