/** The worker of a ledger claims refunds, has each paid out once, and reports the outcome. */
import { TillgateLedger } from '../client.js';
import type { components } from '../description.js';
import { TillgateError } from '../errors.js';
import { type ClientOptions, wait } from '../transport.js';
import { ask, decide } from './decide.js';
import { Lease } from './lease.js';
import type { FindOutcome, Outcome, PayOutcome } from './outcomes.js';
import { report } from './report.js';

export type LedgerRefund = components['schemas']['LedgerRefund'];
export type ClaimedRefund = LedgerRefund & { readonly claim: NonNullable<LedgerRefund['claim']> };

export interface SettleOptions extends Pick<ClientOptions, 'key' | 'fetch'> {
  /** URL of Tillgate. */
  readonly url: string;
  /**
   * Pays the refund out under its `id` as the idempotency key. `signal` aborts when the time is
   * over or the claim is lost.
   */
  readonly pay: (refund: ClaimedRefund, signal: AbortSignal) => Promise<PayOutcome>;
  /**
   * Looks for a payout of the refund by its `id`. What may have been paid is paid only after
   * `notThere()`.
   */
  readonly find: (refund: LedgerRefund, signal: AbortSignal) => Promise<FindOutcome>;
  /** Only the refunds of this organization. Default: of all. */
  readonly organization?: string | undefined;
  /** The number of refunds that this worker works on at a time, at most 100. Default: 10. */
  readonly concurrency?: number | undefined;
  /** If the worker dies, its refunds are claimed again after about twice this time. Default: 60. */
  readonly leaseSeconds?: number | undefined;
  /** Time limit of one call of `pay` or `find`. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** The pause when there is nothing to claim. Default: 5. */
  readonly pollSeconds?: number | undefined;
  /** The time between two calls of `find` for a submitted refund. Default: 21,600, six hours. */
  readonly lookAgainSeconds?: number | undefined;
  /**
   * A refund that was claimed more often is looked for, but not paid: it needs a person. Default:
   * 20.
   */
  readonly stuckAfter?: number | undefined;
  /** Called with every outcome. Default: it prints those that need a person. */
  readonly onOutcome?: ((refund: LedgerRefund, outcome: Outcome) => void) | undefined;
  /** Called when Tillgate was not reached or refused a report. Default: it prints why. */
  readonly onError?: ((error: unknown, refund?: LedgerRefund) => void) | undefined;
}

export interface Worker {
  /**
   * Claims now instead of after the pause. Call it on the events `refund.created` and
   * `refund.approved`.
   */
  wake(): void;
  /**
   * Asks `find` about a refund and reports the outcome, also that the money came back. Call it when
   * your provider reports a change.
   */
  look(refund: string): Promise<void>;
  /** Claims no more. Resolves when all refunds at work are reported. */
  stop(): Promise<void>;
}

/** Settles refunds until it is stopped. Run as many workers as you like. */
export function settle(options: SettleOptions): Worker {
  return new Settlement(options);
}

class Settlement implements Worker {
  private readonly ledger: TillgateLedger;
  private readonly atWork = new Set<Promise<void>>();
  private readonly loops: Promise<unknown>;
  private readonly stopping = new AbortController();
  private pause = new AbortController();

  constructor(private readonly options: SettleOptions) {
    const { url: baseUrl, key, fetch } = options;
    this.ledger = new TillgateLedger({ baseUrl, key, fetch });
    this.loops = Promise.all([this.keepClaiming(), this.keepLooking()]);
  }

  wake(): void {
    this.pause.abort();
  }

  async look(id: string): Promise<void> {
    await this.lookAt(await this.ledger.refunds.retrieve(id, this.options));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.loops;
    await Promise.all(this.atWork);
  }

  private async keepClaiming(): Promise<void> {
    const { concurrency = 10, pollSeconds = 5 } = this.options;
    while (!this.stopping.signal.aborted) {
      const claimed = await this.claim(concurrency - this.atWork.size).catch((error) =>
        this.complain(error),
      );
      if (!claimed) {
        await wait(pollSeconds * 1000, this.pause.signal).catch(() => undefined);
        this.pause = new AbortController();
      }
      if (this.atWork.size === concurrency) await Promise.race(this.atWork);
    }
  }

  private async claim(limit: number): Promise<number> {
    const { leaseSeconds = 60, organization = null } = this.options;
    const begun = Date.now();
    const { data } = await this.ledger.refunds.claim({
      limit,
      lease_seconds: leaseSeconds,
      organization,
    });
    for (const refund of data) {
      const work = this.work(refund, new Lease(this.ledger.refunds, refund, leaseSeconds, begun));
      this.atWork.add(work);
      work.finally(() => this.atWork.delete(work));
    }
    return data.length;
  }

  private async work(refund: ClaimedRefund, lease: Lease): Promise<void> {
    const outcome = await decide(refund, lease, this.options);
    lease.end();
    await this.tell(refund, outcome);
  }

  /**
   * Nobody else claims a submitted refund, because its lease is long. So every worker looks at it
   * as soon as it starts.
   */
  private async keepLooking(): Promise<void> {
    const { lookAgainSeconds = 21_600 } = this.options;
    while (!this.stopping.signal.aborted) {
      await this.lookAtSubmitted().catch((error) => this.complain(error));
      await wait(lookAgainSeconds * 1000, this.stopping.signal).catch(() => undefined);
    }
  }

  private async lookAtSubmitted(): Promise<void> {
    for await (const refund of this.ledger.refunds.list({
      organization: this.options.organization,
      limit: 100,
    })) {
      if (this.stopping.signal.aborted) return;
      if (refund.provider_reference !== null) await this.lookAt(refund);
    }
  }

  private async lookAt(refund: LedgerRefund): Promise<void> {
    const outcome = await ask(this.options.find, refund, this.options);
    const isKnown =
      outcome.type === refund.status || (outcome.type === 'failed' && refund.status === 'canceled');
    const isFinal = outcome.type === 'succeeded' || outcome.type === 'failed';
    if (isFinal && !isKnown) await this.tell(refund, outcome);
  }

  private async tell(refund: LedgerRefund, outcome: Outcome): Promise<void> {
    const { onOutcome = printStuck } = this.options;
    try {
      onOutcome(refund, outcome);
      await report(this.ledger.refunds, refund, outcome);
    } catch (error) {
      // Another worker has claimed the refund, and reports it.
      if (!(error instanceof TillgateError && error.code === 'refund_claimed'))
        this.complain(error, refund);
    }
  }

  private complain(error: unknown, refund?: LedgerRefund): void {
    const { onError = (thrown, about) => console.error(about?.id ?? 'Tillgate:', thrown) } =
      this.options;
    onError(error, refund);
  }
}

function printStuck({ id }: LedgerRefund, outcome: Outcome): void {
  if (outcome.type === 'stuck') console.error(`${id} needs a person: ${outcome.why}`);
}
