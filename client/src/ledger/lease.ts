/** Renews the lease of a claim for as long as the refund is worked on. */
import type { TillgateLedger } from '../client.js';
import { TillgateError } from '../errors.js';
import type { ClaimedRefund } from './settle.js';

export class Lease {
  /** Aborts when another worker has the refund. */
  readonly lost = new AbortController();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly refunds: TillgateLedger['refunds'],
    private readonly refund: ClaimedRefund,
    private readonly seconds: number,
    /**
     * The time when the claim was requested, in milliseconds by the clock of this machine. The
     * lease began later.
     */
    private begun: number,
  ) {
    this.timer = setInterval(() => this.renew(), seconds * 500);
  }

  /** Returns false after a sleep of the process, too, before its timers run. */
  isHeld(): boolean {
    return !this.lost.signal.aborted && Date.now() < this.begun + this.seconds * 1000;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    const begun = Date.now();
    const { id, organization, claim } = this.refund;
    try {
      await this.refunds.extend(id, {
        claim: claim.number,
        lease_seconds: this.seconds,
        organization,
      });
      this.begun = begun;
    } catch (error) {
      // Unless the service has refused, the lease may still run, and the next renewal may arrive.
      if (error instanceof TillgateError && error.status === 422) this.lost.abort(error);
    }
  }
}
