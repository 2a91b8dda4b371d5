/** Pays amounts back in the provider's dashboard, as merchants do, and tells Tillgate of them. */
import { demand } from './api.js';
import type { Journal } from './journal.js';
import type { Provider } from './provider.js';
import type { Stage } from './stage.js';

/** This amount is small enough to stay beside the refunds of the plan. */
export const DASHBOARD_AMOUNT = 100;

export interface PaidBack {
  /** This is the ID of the organization. */
  readonly organization: string;
  /** This is the ID of the payment. */
  readonly payment: string;
  readonly currency: string;
}

export class Dashboard {
  private readonly wanted: PaidBack[] = [];
  private readonly untold: { readonly from: PaidBack; readonly payout: string }[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly provider: Provider,
    private readonly journal: Journal,
  ) {}

  want(payment: PaidBack): void {
    this.wanted.push(payment);
  }

  /**
   * Tells Tillgate of each payout when time moves the next time, so that workers meet it before and
   * after.
   */
  async work(): Promise<void> {
    for (const { from, payout } of this.untold.splice(0)) await this.tell(from, payout);
    for (const from of this.wanted.splice(0)) {
      const payout = this.provider.payInDashboard(DASHBOARD_AMOUNT, from.currency);
      this.untold.push({ from, payout });
    }
  }

  private async tell({ organization, payment }: PaidBack, payout: string): Promise<void> {
    const { url, ledgerKey } = this.stage;
    const refund = { organization, payment, amount: DASHBOARD_AMOUNT, provider_reference: payout };
    const { id } = await demand(`${url}/ledger/v1/refunds`, ledgerKey, refund);
    this.journal.note(id, 'merchant', `has paid it in the dashboard, as ${payout}`);
  }
}
