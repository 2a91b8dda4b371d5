import type { Resource } from './model-answers.js';

interface Claim {
  readonly number: number;
  readonly isLive: boolean;
  readonly isLapsed?: boolean;
  /** If the refund was claimed, this is the step at which the claim ended. */
  readonly freeSince?: number;
}

/** It knows the last claim of each refund, and the order in which refunds became free again. */
export class ModelClaims {
  private readonly claims = new Map<string, Claim>();
  private steps = 0;

  of(refund: Resource): Claim {
    return this.claims.get(refund.id) ?? { number: 0, isLive: false };
  }

  take(refund: Resource): void {
    this.claims.set(refund.id, { number: this.of(refund).number + 1, isLive: true });
  }

  /** Extends the claim, or releases it. */
  renew(refund: Resource, isLive: boolean): void {
    const { number } = this.of(refund);
    this.claims.set(refund.id, { number, isLive, freeSince: ++this.steps });
  }

  lapse(refund: Resource): void {
    const claim = this.of(refund);
    if (!claim.isLive) return;
    this.claims.set(refund.id, { ...claim, isLapsed: true, freeSince: ++this.steps });
  }

  end(refund: Resource): void {
    this.claims.set(refund.id, { number: this.of(refund).number, isLive: false });
  }
}
