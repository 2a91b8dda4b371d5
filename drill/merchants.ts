/** What the merchants do: propose refunds, cancel some of them, and hold amounts of their payments meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { demand, each, type Json, send } from './api.js';
import type { Journal } from './journal.js';
import type { PlannedRefund } from './plan.js';
import type { Stage } from './stage.js';

/** Refunds of the same payment wait for each other. */
const REFUNDS_OF_PAYMENT = 10;
const HELD_AMOUNT = 500;
const CANCEL_PAUSE_MS = 10;
const PATIENCE_MS = 2_000;

export class Merchants {
  private readonly planned = new Map<string, PlannedRefund>();
  private readonly unwanted = new Set<string>();

  constructor(
    private readonly stage: Stage,
    private readonly journal: Journal,
  ) {}

  /** A worker may ask for a refund before its proposal was answered. */
  async planOf(refund: string): Promise<PlannedRefund | undefined> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!this.planned.has(refund) && performance.now() < deadline) await sleep(5);
    return this.planned.get(refund);
  }

  plan(refund: string): PlannedRefund | undefined {
    return this.planned.get(refund);
  }

  /** From now on the merchant tries to cancel it. */
  regret(refund: string): void {
    this.unwanted.add(refund);
  }

  async propose(refunds: readonly PlannedRefund[]): Promise<void> {
    const currencies = Map.groupBy(refunds, ({ currency }) => currency);
    const groups = [...currencies.values()].flatMap((group) =>
      Array.from({ length: Math.ceil(group.length / REFUNDS_OF_PAYMENT) }, (_, place) =>
        group.slice(place * REFUNDS_OF_PAYMENT, (place + 1) * REFUNDS_OF_PAYMENT),
      ),
    );
    await each(groups, (group) => this.proposeOfOnePayment(group));
  }

  /** Until it is stopped: whatever can be canceled of what is not wanted any more. */
  async cancel(stop: AbortSignal): Promise<void> {
    const { url, key } = this.stage;
    while (!stop.aborted) {
      for (const refund of this.unwanted) {
        const answer = await send(`${url}/v1/refunds/${refund}/cancel`, key, {}).catch(() => undefined);
        if (answer?.status === 200) this.journal.note(refund, 'merchant', 'cancels it');
        if (answer?.status === 200 || answer?.body.error.code === 'refund_not_pending') this.unwanted.delete(refund);
        await sleep(CANCEL_PAUSE_MS);
      }
      await sleep(CANCEL_PAUSE_MS);
    }
  }

  /** As the ledger has them. */
  async refunds(): Promise<Json[]> {
    const { url, ledgerKey } = this.stage;
    const found: Json[] = [];
    for (let cursor = ''; ; ) {
      const page = await demand(`${url}/ledger/v1/refunds?status=all&limit=100${cursor}`, ledgerKey);
      found.push(...page.data);
      if (!page.has_more) return found;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  private async proposeOfOnePayment(refunds: readonly PlannedRefund[]): Promise<void> {
    const { url, organization, key, ledgerKey } = this.stage;
    const amount = refunds.reduce((sum, one) => sum + one.amount, HELD_AMOUNT);
    const capture = { organization, amount, currency: refunds[0]?.currency };
    const payment = await demand(`${url}/ledger/v1/payments`, ledgerKey, capture);
    const hold = await demand(`${url}/ledger/v1/payments/${payment.id}/holds`, ledgerKey, { amount: HELD_AMOUNT });
    for (const planned of refunds) {
      const { reference, amount } = planned;
      const refund = await demand(`${url}/v1/refunds`, key, { payment: payment.id, amount, reference });
      this.planned.set(refund.id, planned);
      this.journal.note(refund.id, 'merchant', `proposes to refund ${amount} ${planned.currency}`);
      if (planned.isUnwanted) this.regret(refund.id);
    }
    await demand(`${url}/ledger/v1/holds/${hold.id}/release`, ledgerKey, {});
  }
}
